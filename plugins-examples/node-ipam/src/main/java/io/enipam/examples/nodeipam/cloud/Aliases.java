package io.enipam.examples.nodeipam.cloud;

import io.enipam.examples.nodeipam.cloud.CloudProvider.Alias;
import io.enipam.sdk.Source;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.ranges.Subnet;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A copy of what the cloud leads to which instance, and the source that tells the nodes for which that has changed. One listing for
 * all nodes: every 30 s, and sooner when a node asks that has none, 5 s after the last one at the soonest. A listing that fails is
 * tried again, with a back-off; the first one of an opening, and one that has failed for half a minute, loses the source, so that
 * nothing is decided by what is old. Thread-safe.
 */
public final class Aliases implements Source {
    private static final Duration SHORT_AGE = Duration.ofSeconds(5);
    private static final int MOST_FAILURES = 8;

    private final CloudProvider provider;
    private final Informer nodes;
    private final List<Subnet> within;
    private final Clock clock;
    private final Pauses pauses;
    private final Supplier<Timer> timers;

    // by this
    private Optional<Opening> current = Optional.empty();
    private Map<String, Set<Subnet>> known = new HashMap<>();
    private final Set<Alias> leaving = new HashSet<>();
    /** What was added and removed since the listing that is under way has begun: it may have that or not. */
    private final Map<Alias, Boolean> meanwhile = new HashMap<>();

    /** Runs one task after a time; a new one takes the place of the former one. Thread-safe. */
    interface Timer extends AutoCloseable {
        void set(Duration pause, Runnable task);

        @Override
        void close();
    }

    /**
     * @param within only aliases in one of these count; none for all
     */
    public Aliases(CloudProvider provider, Informer nodes, List<Subnet> within, Clock clock) {
        this(provider, nodes, within, clock, Pauses.DEFAULT, ThreadTimer::new);
    }

    Aliases(
            CloudProvider provider,
            Informer nodes,
            List<Subnet> within,
            Clock clock,
            Pauses pauses,
            Supplier<Timer> timers) {
        this.provider = provider;
        this.nodes = nodes;
        this.within = List.copyOf(within);
        this.clock = clock;
        this.pauses = pauses;
        this.timers = timers;
    }

    @Override
    public String name() {
        return "aliases";
    }

    @Override
    public AutoCloseable open(Sink sink) {
        Opening opening = new Opening(sink, timers.get());
        synchronized (this) {
            current = Optional.of(opening);
            known = new HashMap<>();
            leaving.clear();
            meanwhile.clear();
        }
        opening.list();
        return opening;
    }

    /** The instance that a node is; empty if it says none, or none of this cloud. */
    Optional<String> instance(ClusterObject node) {
        return provider.instance(node.text("spec", "providerID"));
    }

    /** What the cloud leads to an instance, in the cloud's order; what is about to be removed is left out. */
    synchronized List<Subnet> of(String instance) {
        return known.getOrDefault(instance, Set.of()).stream()
                .filter(block -> !leaving.contains(new Alias(instance, block)))
                .toList();
    }

    /** A node misses its alias: the cloud is asked soon. */
    void ask() {
        Optional<Opening> now;
        synchronized (this) {
            now = current;
        }
        now.ifPresent(Opening::ask);
    }

    /** It is about to be removed. */
    synchronized void leaves(Alias alias) {
        leaving.add(alias);
    }

    /** It was added. */
    synchronized void added(Alias alias) {
        meanwhile.put(alias, true);
        note(alias, true);
    }

    /** It was removed. */
    void removed(Alias alias) {
        Optional<Opening> now;
        synchronized (this) {
            leaving.remove(alias);
            meanwhile.put(alias, false);
            note(alias, false);
            now = current;
        }
        now.ifPresent(opening -> opening.tell(Set.of(alias.instance()))); // another node may be that instance
    }

    /** By this. */
    private void note(Alias alias, boolean there) {
        Set<Subnet> blocks = known.computeIfAbsent(alias.instance(), instance -> new LinkedHashSet<>());
        if (there) {
            blocks.add(alias.block());
        } else {
            blocks.remove(alias.block());
        }
    }

    private final class Opening implements AutoCloseable {
        private final Sink sink;
        private final Timer timer;
        // by this opening
        private boolean synced;
        private boolean closed;
        private boolean listing;
        private boolean asked;
        private int failures;
        private Instant listed = Instant.MIN;

        Opening(Sink sink, Timer timer) {
            this.sink = sink;
            this.timer = timer;
        }

        void list() {
            synchronized (this) {
                if (closed || listing) {
                    return;
                }
                listing = true;
                asked = false;
            }
            synchronized (Aliases.this) {
                meanwhile.clear();
            }
            provider.aliases().thenAccept(this::listed);
        }

        synchronized void ask() {
            asked = true;
            if (!closed && !listing && failures == 0) {
                Duration age = Duration.between(listed, clock.instant());
                timer.set(age.compareTo(SHORT_AGE) < 0 ? SHORT_AGE.minus(age) : Duration.ZERO, this::list);
            }
        }

        private void listed(Outcome<List<Alias>> outcome) {
            Set<String> changed = outcome.fold(this::replaced, notDone -> Set.of());
            boolean first;
            synchronized (this) {
                if (closed) {
                    return;
                }
                listing = false;
                listed = clock.instant();
                failures = outcome instanceof Outcome.Done ? 0 : failures + 1;
                first = !synced;
                synced |= failures == 0;
                closed = !synced || failures > MOST_FAILURES;
                if (!closed) {
                    Duration pause = pauses.after(failures);
                    boolean soon = asked && failures == 0 && SHORT_AGE.compareTo(pause) < 0;
                    timer.set(soon ? SHORT_AGE : pause, this::list);
                }
            }
            tell(changed);
            if (outcome instanceof Outcome.NotDone<?> notDone && closed()) {
                sink.lost("what the cloud leads to the nodes cannot be listed: "
                        + notDone.failure().message());
            } else if (first) {
                sink.synced();
            }
        }

        private synchronized boolean closed() {
            return closed;
        }

        /** Returns the instances for which something has changed. */
        private Set<String> replaced(List<Alias> aliases) {
            Map<String, Set<Subnet>> next = new HashMap<>();
            for (Alias alias : aliases) {
                Subnet block = alias.block();
                if (within.isEmpty()
                        || within.stream()
                                .anyMatch(range -> range.length() <= block.length() && range.contains(block.first()))) {
                    next.computeIfAbsent(alias.instance(), instance -> new LinkedHashSet<>())
                            .add(block);
                }
            }
            synchronized (Aliases.this) {
                if (current.filter(now -> now == this).isEmpty()) {
                    return Set.of();
                }
                Map<String, Set<Subnet>> before = known;
                known = next;
                meanwhile.forEach(Aliases.this::note);
                Set<String> instances = new HashSet<>(before.keySet());
                instances.addAll(next.keySet());
                instances.removeIf(instance ->
                        before.getOrDefault(instance, Set.of()).equals(next.getOrDefault(instance, Set.of())));
                return instances;
            }
        }

        void tell(Set<String> instances) {
            if (!instances.isEmpty()) {
                nodes.list().stream()
                        .filter(node ->
                                instance(node).filter(instances::contains).isPresent())
                        .map(ClusterObject::name)
                        .collect(Collectors.toSet())
                        .forEach(sink::changed);
            }
        }

        @Override
        public void close() {
            synchronized (this) {
                closed = true;
            }
            timer.close();
        }
    }
}

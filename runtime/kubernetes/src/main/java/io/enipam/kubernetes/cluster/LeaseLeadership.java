package io.enipam.kubernetes.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.LeadershipTerms;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiServerClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leadership by a Lease of the API server: fabric8's elector takes and renews it, and this class says what follows from that. Thread-safe.
 *
 * <p><b>No two leaders.</b> The elector compares dates of several machines. Here the monotonic clock decides instead, on both sides:
 *
 * <ul>
 *   <li>The leader leads from a renewal's answer until the renew deadline after that renewal was <em>sent</em>, whether or not anything is
 *       heard after that: an API server that hangs, a paused process and a clock that is set make it no longer.
 *   <li>Another replica takes the lease when it has seen no renewal for the whole duration of the lease, from when it first saw the last
 *       one: that was after it was sent. Which dates are in the lease does not count ({@link MonotonicLock}).
 * </ul>
 *
 * <p>So there are at least {@code duration - renewDeadline} between the two, in which a write that the former leader has sent can end.
 * A lease that is given up is taken at once; its leader has stopped before. A replica whose date is set forward beyond the renew deadline
 * gives the lease up, since the elector measures by it.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/architecture/leases/">Leases</a>
 */
public final class LeaseLeadership implements Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseLeadership.class);
    private static final Duration GIVING_UP = Duration.ofSeconds(5);
    private static final ZonedDateTime LONG_AGO = Instant.EPOCH.atZone(ZoneOffset.UTC);
    private static final ZonedDateTime NEVER = LONG_AGO.plusYears(1_000);

    private final ApiServerClient calls;
    private final LeaseName name;
    private final LeaseTimes times;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.named("leader-election"));
    private final LeadershipTerms terms;
    private volatile Optional<String> leader = Optional.empty();
    /** Why the lease could not be looked at last; told once. */
    private volatile String trouble = "";

    @GuardedBy("this")
    private @Nullable LeaderElectionRecord seen;

    @GuardedBy("this")
    private long seenNanos;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private Candidacy candidacy;

    /**
     * Which lease, and who takes it.
     *
     * @param identity of this process: another one after a restart, since the lease of a former process is not this one's
     */
    public record LeaseName(String namespace, String name, String identity) {
        @Override
        public String toString() {
            return "lease " + namespace + "/" + name;
        }
    }

    /**
     * How long a lease lasts.
     *
     * @param duration after which another replica takes a lease that was not renewed, whole seconds
     * @param renewDeadline after which its leader stops if it could not renew it, below the duration
     * @param retry between two renewals, and between two attempts to take it, below half of the deadline
     */
    public record LeaseTimes(Duration duration, Duration renewDeadline, Duration retry) {
        /** 15 s, 10 s and 2 s, those of the controllers of Kubernetes. */
        public static final LeaseTimes DEFAULT =
                new LeaseTimes(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));

        public LeaseTimes {
            boolean right = duration.getNano() == 0
                    && renewDeadline.compareTo(duration) < 0
                    && retry.multipliedBy(2).compareTo(renewDeadline) < 0
                    && retry.toMillis() > 0;
            if (!right) {
                throw new IllegalArgumentException("needs whole seconds, 0 < 2 retry < renewDeadline < duration, got "
                        + retry + ", " + renewDeadline + ", " + duration);
            }
        }
    }

    /** Begins to try; returns at once. */
    public LeaseLeadership(
            ApiServerClient calls, LeaseName name, LeaseTimes times, TimeSource time, Scheduler scheduler) {
        this.calls = calls;
        this.name = name;
        this.times = times;
        this.time = time;
        this.scheduler = scheduler;
        this.terms = new LeadershipTerms(time, scheduler);
        this.candidacy = new Candidacy();
        this.candidacy.start();
    }

    @Override
    public boolean leads() {
        return terms.running();
    }

    @Override
    public Optional<String> leader() {
        return leader;
    }

    @Override
    public void follow(Consumer<Boolean> listener) {
        terms.follow(listener);
    }

    private synchronized void renewed(long sentNanos) {
        if (closed) {
            return;
        }
        leader = Optional.of(name.identity());
        if (terms.renewed(sentNanos + times.renewDeadline().toNanos())) {
            LOG.info("this replica leads: it has the {}", name);
        }
    }

    private void ended(String why) {
        if (terms.end()) {
            LOG.info("this replica does not lead: {}", why);
        }
    }

    /** The lease as the elector is to see it: whether it has expired is decided here. */
    private synchronized LeaderElectionRecord seen(LeaderElectionRecord found) {
        if (!found.equals(seen)) {
            seen = found;
            seenNanos = time.nanoTime();
        }
        String holder = found.getHolderIdentity();
        leader = Optional.ofNullable(holder).filter(text -> !text.isEmpty());
        if (!name.identity().equals(holder)) {
            ended("the " + name + " has " + leader.orElse("no holder"));
        }
        return shown(found);
    }

    /** What the elector is to see where there is no lease: one that was deleted is held for as long as its holder may lead. */
    private synchronized @Nullable LeaderElectionRecord missing() {
        boolean held = seen != null
                && leader.filter(holder -> !holder.equals(name.identity())).isPresent();
        LeaderElectionRecord last = held ? shown(seen) : null;
        return last == null || last.getRenewTime().equals(LONG_AGO) ? null : last;
    }

    @GuardedBy("this")
    private LeaderElectionRecord shown(LeaderElectionRecord found) {
        Duration written = found.getLeaseDuration();
        Duration lasts = written.compareTo(times.duration()) > 0 ? written : times.duration();
        boolean expired = time.nanoTime() - seenNanos >= lasts.toNanos();
        return new LeaderElectionRecord(
                found.getHolderIdentity(),
                written,
                found.getAcquireTime(),
                expired ? LONG_AGO : NEVER,
                found.getLeaderTransitions());
    }

    @Override
    public void close() {
        Candidacy last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            ended("it is stopping");
            last = candidacy;
            last.over.set(true);
        }
        try {
            threads.submit(last::end).get(GIVING_UP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the {} was not given up, and expires: {}", name, e.toString());
        }
        threads.shutdownNow();
    }

    /** One elector: it ends when it loses the lease, and another one takes its place. */
    private final class Candidacy {
        /** Whether another one has taken its place, or none will. */
        private final AtomicBoolean over = new AtomicBoolean();

        private volatile CompletableFuture<?> running = new CompletableFuture<>();

        private void start() {
            LeaderCallbacks callbacks = new LeaderCallbacks(
                    () -> {},
                    // its future does not complete if the API server is away at this moment
                    this::succeedLater,
                    holder -> {});
            running = new LeaderElector(
                            calls.client(),
                            new LeaderElectionConfig(
                                    new MonotonicLock(),
                                    times.duration(),
                                    times.renewDeadline(),
                                    times.retry(),
                                    callbacks,
                                    true,
                                    name.toString()),
                            threads)
                    .start();
            running.whenComplete((done, failure) -> succeedLater());
            if (over.get()) {
                running.cancel(true);
            }
        }

        private void succeedLater() {
            scheduler.after(times.retry(), () -> {
                if (!over.get()) {
                    threads.execute(this::succeed);
                }
            });
        }

        /** Gives the lease up if this one has it. */
        private void end() {
            running.cancel(true);
        }

        private void succeed() {
            if (over.getAndSet(true)) {
                return;
            }
            running.cancel(true);
            Candidacy next = new Candidacy();
            synchronized (LeaseLeadership.this) {
                if (closed) {
                    return;
                }
                candidacy = next;
            }
            next.start();
        }
    }

    /** The Lease by single requests with the daemon's limits, and without the dates in it. Used by one elector alone. */
    private final class MonotonicLock implements Lock {
        private final LeaseLock lease = new LeaseLock(name.namespace(), name.name(), name.identity());

        @Override
        public @Nullable LeaderElectionRecord get(KubernetesClient client) {
            try {
                Optional<LeaderElectionRecord> found = request("GET ", its -> Optional.ofNullable(lease.get(its)));
                trouble = "";
                return found.map(LeaseLeadership.this::seen).orElseGet(LeaseLeadership.this::missing);
            } catch (KubernetesClientException e) {
                if (leads()) {
                    throw e;
                }
                String why = String.valueOf(e.getMessage());
                if (!why.equals(trouble)) {
                    trouble = why;
                    LOG.warn("the {} cannot be looked at, so this replica cannot lead: {}", name, why);
                }
                // nothing is known of it, so it is not to be taken now
                return new LeaderElectionRecord("unknown", times.duration(), LONG_AGO, NEVER, 0);
            }
        }

        @Override
        public void create(KubernetesClient client, LeaderElectionRecord taken) {
            write("POST ", taken, lease::create);
        }

        @Override
        public void update(KubernetesClient client, LeaderElectionRecord now) {
            write("PATCH ", now, lease::update);
        }

        private void write(
                String verb, LeaderElectionRecord now, BiConsumer<KubernetesClient, LeaderElectionRecord> how) {
            boolean ours = name.identity().equals(now.getHolderIdentity());
            LeaderElectionRecord written = ours ? now : withoutHolder(now);
            if (!ours) {
                // before it is sent: it can be taken before the answer is here
                ended("it gives the " + name + " up");
            }
            long sent = time.nanoTime();
            request(verb, client -> {
                how.accept(client, written);
                return true;
            });
            if (ours) {
                renewed(sent);
            }
        }

        /** A patch leaves out what is null, and the holder would stay. */
        private static LeaderElectionRecord withoutHolder(LeaderElectionRecord given) {
            return new LeaderElectionRecord(
                    "",
                    given.getLeaseDuration(),
                    given.getAcquireTime(),
                    given.getRenewTime(),
                    given.getLeaderTransitions());
        }

        /** @throws KubernetesClientException alone: any other exception ends the elector */
        private <T> T request(String verb, Function<KubernetesClient, T> request) {
            try {
                return calls.request(verb + name, request).join();
            } catch (CompletionException | CancellationException e) {
                Throwable cause = Stages.cause(e);
                throw new KubernetesClientException(String.valueOf(cause.getMessage()), cause);
            }
        }

        @Override
        public String identity() {
            return name.identity();
        }

        @Override
        public String describe() {
            return name.toString();
        }
    }
}

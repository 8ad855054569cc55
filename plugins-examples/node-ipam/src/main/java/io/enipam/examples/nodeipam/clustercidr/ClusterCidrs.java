package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The {@code ClusterCIDR}s as they are in force, each with a pool of its name in {@link Blocks}. What is in force of an object is what was
 * valid when it was seen first: a later change of its spec, which the CRD forbids, is noted and not followed. Thread-safe.
 *
 * <p><b>Concurrency.</b> {@link #source} brings what the API server has. An object that is deleted, and one that is new, is known here
 * before its key is reported; the map and the pools change under this object's lock, under which the allocator also chooses a pool and
 * takes blocks. So a node gets no block of an object that is known to be deleted, and the question which nodes have blocks of one has
 * a last answer. Keys are reported, and waiting nodes woken, without the lock.
 */
public final class ClusterCidrs {
    /** What the key of an object begins with, before a slash. */
    static final String PREFIX = "clustercidr";

    private static final Owner.Kind NODE = Owner.Kind.NODE;

    private final Blocks blocks;
    private final Informer objects;
    private final Informer nodes;
    private final Journal journal;
    private final Optional<ClusterObject> usual;
    private final Runnable wake;

    // by this: by name, those that were there at first sorted, later ones as they came
    private Map<String, Known> known = new LinkedHashMap<>();
    // by this: what was reported last of how full each is
    private final Map<String, Integer> told = new HashMap<>();
    private volatile Optional<Following> following = Optional.empty();

    /**
     * An object.
     *
     * @param object one without a uid is to be created
     * @param inForce empty if it was never valid
     * @param problem what is wrong with its spec as it is now; empty text if nothing is
     */
    record Known(ClusterObject object, Optional<ClusterCidr> inForce, String problem) {
        boolean isDeleted() {
            return object.deletion().isPresent();
        }
    }

    /**
     * @param objects of {@link ClusterCidr#KIND}
     * @param usual what is created where there is no object of its name; already then nodes get blocks of it
     * @param wake is called when a node that got nothing may get something now
     */
    ClusterCidrs(
            Blocks blocks,
            Informer objects,
            Informer nodes,
            Journal journal,
            Optional<ClusterObject> usual,
            Runnable wake) {
        this.blocks = blocks;
        this.objects = objects;
        this.nodes = nodes;
        this.journal = journal;
        this.usual = usual;
        this.wake = wake;
        journal.open(Kept.TABLE);
    }

    private static String key(String name) {
        return PREFIX + "/" + name;
    }

    /** Tells the keys of the objects, and of what the table has. */
    Source source() {
        return new Source() {
            @Override
            public String name() {
                return objects.source().name();
            }

            @Override
            public AutoCloseable open(Sink to) {
                Map<String, Kept> kept = kept();
                Following opening = new Following(to, kept);
                following = Optional.of(opening);
                AutoCloseable watch = objects.source().open(opening);
                return () -> {
                    following = following.filter(now -> now != opening);
                    watch.close();
                };
            }
        };
    }

    /** One opening: knows each object before its key is reported. What comes late, for a later opening, is known from that. */
    private final class Following implements Source.Sink {
        private final Source.Sink to;
        private final Map<String, Kept> kept;
        private volatile boolean isSynced;

        private Following(Source.Sink to, Map<String, Kept> kept) {
            this.to = to;
            this.kept = kept;
        }

        @Override
        public void changed(String name) {
            // those that come before all are there are read together, in the order of their names
            if (isSynced && isCurrent()) {
                update(name);
                to.changed(key(name));
            }
        }

        private boolean isCurrent() {
            return following.filter(now -> now == this).isPresent();
        }

        @Override
        public void synced() {
            if (isCurrent()) {
                isSynced = true;
                Set<String> names = new TreeSet<>(kept.keySet());
                names.addAll(load(kept));
                names.forEach(name -> to.changed(key(name)));
                to.synced();
            }
        }

        @Override
        public void lost(String why) {
            to.lost(why);
        }
    }

    private synchronized Collection<String> load(Map<String, Kept> kept) {
        Map<String, Known> before = known;
        known = new LinkedHashMap<>();
        told.clear();
        for (ClusterObject object : there()) {
            Optional<ClusterCidr> was = inForce(kept, object).or(() -> inForce(before.get(object.name()), object));
            know(Optional.ofNullable(before.get(object.name())), seen(object, was));
        }
        before.keySet().stream().filter(name -> !known.containsKey(name)).forEach(blocks::remove);
        return List.copyOf(known.keySet());
    }

    private Map<String, Kept> kept() {
        return journal.read(tx -> tx.scan(Kept.TABLE, "").collect(Collectors.toMap(Row::key, Row::value)));
    }

    /** What the API server has, and what is to be created; by name. */
    private List<ClusterObject> there() {
        List<ClusterObject> all = new ArrayList<>(objects.list());
        usual.filter(its -> objects.get(its.name()).isEmpty()).ifPresent(all::add);
        all.sort(Comparator.comparing(ClusterObject::name));
        return all;
    }

    private static Optional<ClusterCidr> inForce(Map<String, Kept> kept, ClusterObject object) {
        return Optional.ofNullable(kept.get(object.name())).flatMap(its -> its.inForceOf(object));
    }

    /** Those in force with their ranges, by what the API server and the table have and not by what is known here: on each replica. */
    Map<String, List<BlockRange>> pools() {
        Map<String, Kept> kept = kept();
        Map<String, List<BlockRange>> pools = new LinkedHashMap<>();
        there().forEach(object ->
                seen(object, inForce(kept, object)).inForce().ifPresent(its -> pools.put(its.name(), its.ranges())));
        return pools;
    }

    private void update(String name) {
        boolean isNew;
        synchronized (this) {
            Optional<Known> before = Optional.ofNullable(known.get(name));
            Optional<ClusterObject> object =
                    objects.get(name).or(() -> usual.filter(its -> its.name().equals(name)));
            if (object.isPresent()) {
                isNew = know(before, seen(object.get(), inForce(before.orElse(null), object.get())));
            } else {
                isNew = false;
                known.remove(name);
                told.remove(name);
                blocks.remove(name);
            }
        }
        if (isNew) {
            wake.run();
        }
    }

    private static Optional<ClusterCidr> inForce(@Nullable Known before, ClusterObject object) {
        return before != null && before.object().uid().equals(object.uid()) ? before.inForce() : Optional.empty();
    }

    private static Known seen(ClusterObject object, Optional<ClusterCidr> was) {
        try {
            ClusterCidr now = ClusterCidr.read(object);
            List<String> changed = was.map(now::changedFrom).orElse(List.of());
            return new Known(object, was.or(() -> Optional.of(now)), String.join(" ", changed));
        } catch (IllegalArgumentException e) {
            return new Known(object, was, String.valueOf(e.getMessage()));
        }
    }

    /** By this. Returns whether it has other blocks than before. */
    boolean know(Optional<Known> before, Known now) {
        String name = now.object().name();
        known.put(name, now);
        if (before.flatMap(Known::inForce).equals(now.inForce())) {
            return false;
        }
        blocks.remove(name);
        now.inForce().ifPresent(its -> blocks.add(name, its.ranges()));
        return true;
    }

    /** Empty if there is no such object, and none to be created. */
    synchronized Optional<Known> find(String name) {
        return Optional.ofNullable(known.get(name));
    }

    /** Those in force, deleted ones as well, in the order in which they came. */
    public List<ClusterCidr> inForce() {
        return inForce(any -> true);
    }

    /** Those that give blocks. */
    List<ClusterCidr> serving() {
        return inForce(its -> !its.isDeleted());
    }

    private synchronized List<ClusterCidr> inForce(Predicate<Known> which) {
        return known.values().stream()
                .filter(which)
                .map(Known::inForce)
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * The {@code ClusterCIDR} that a node's blocks are of. It follows from what the node has and is like: of those with ranges that its
     * blocks are in, first those with blocks of this size, then those that are for the node; of these the one that it would get blocks of
     * first.
     */
    public Optional<String> of(String node) {
        return of(node, inForce());
    }

    private Optional<String> of(String name, List<ClusterCidr> all) {
        List<Subnet> held = blocks.heldBy(Owner.node(name));
        List<ClusterCidr> around = held.isEmpty()
                ? List.of()
                : all.stream().filter(each -> has(each, held)).toList();
        if (around.size() > 1) {
            ClusterObject node = nodes.get(name).orElseGet(() -> ClusterObject.of(ObjectRef.node(name), Map.of()));
            List<ClusterCidr> ordered = new ArrayList<>(Preference.of(node, around));
            around.stream().filter(each -> !ordered.contains(each)).forEach(ordered::add);
            ordered.sort(Comparator.comparing(each -> !isCutLike(each, held)));
            around = ordered;
        }
        return around.stream().findFirst().map(ClusterCidr::name);
    }

    private static boolean has(ClusterCidr of, List<Subnet> held) {
        return held.stream().allMatch(block -> of.cidrs().anyMatch(cidr -> cidr.overlaps(block)));
    }

    private static boolean isCutLike(ClusterCidr of, List<Subnet> held) {
        return held.stream()
                .allMatch(block ->
                        block.length() == of.blockLength(block.address().family()));
    }

    /** The nodes that have blocks of a {@code ClusterCIDR}, ascending. */
    public List<String> nodesOf(String name) {
        List<ClusterCidr> all = inForce();
        return all.stream()
                .filter(each -> each.name().equals(name))
                .flatMap(ClusterCidr::cidrs)
                .flatMap(cidr -> blocks.overlapping(cidr).stream())
                .filter(holding -> holding.owner().kind() == NODE)
                .map(holding -> holding.owner().name())
                .distinct()
                .filter(node -> of(node, all).filter(name::equals).isPresent())
                .sorted()
                .toList();
    }

    /**
     * Tells those whose report may differ because a node has taken, or given back, these: where one is deleted, and where it is fuller or
     * emptier by a {@link Report#STEPS step} than was reported last. Not by this.
     */
    void tellOf(Collection<Subnet> taken) {
        List<String> names = new ArrayList<>();
        synchronized (this) {
            known.forEach((name, its) -> {
                boolean touched = its.inForce()
                        .filter(cluster -> cluster.cidrs()
                                .anyMatch(cidr -> taken.stream().anyMatch(block -> cidr.overlaps(block))))
                        .isPresent();
                if (touched) {
                    int level = blocks.read(name, Report::level).orElse(0);
                    Integer last = told.put(name, level);
                    if (its.isDeleted() || last == null || last != level) {
                        names.add(name);
                    }
                }
            });
        }
        names.forEach(name -> following.ifPresent(now -> now.to.changed(key(name))));
    }

    /** The ranges of a {@code ClusterCIDR} as they are now. */
    List<Report.Range> ranges(String name) {
        return blocks.read(name, ranges -> ranges.stream().map(Report.Range::of).toList())
                .orElse(List.of());
    }
}

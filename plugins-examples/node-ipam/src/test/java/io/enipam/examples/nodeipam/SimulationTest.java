package io.enipam.examples.nodeipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.examples.nodeipam.blocks.Blocks.Holding;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.examples.nodeipam.clustercidr.ClusterCidr;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ranges.Subnet;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Nodes come and go, and two replicas that share their tables give them blocks, while requests fail, arrive late or twice, watches lag
 * and break, processes and commits end at any moment, and a leader goes on for a while after another one has begun. A history depends
 * on its seed alone: {@code -Denipam.nodeipam.first=SEED -Denipam.nodeipam.seeds=1}.
 */
class SimulationTest {
    private static final long FIRST = Long.getLong("enipam.nodeipam.first", 1);
    private static final long SEEDS = Long.getLong("enipam.nodeipam.seeds", 300);
    private static final int STEPS = 400;
    private static final int NODES = 12;
    private static final int STORY = 80;
    /** When the last request arrives that was given up before. */
    private static final int LATEST = 20;

    @Test
    void noBlockIsGivenTwiceWhateverFails() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            new History(seed, false).run();
        }
    }

    /** Blocks of ClusterCIDRs, whose objects come, change and go as well. */
    @Test
    void noBlockOfAClusterCidrIsGivenTwiceWhateverFails() {
        for (long seed = FIRST; seed < FIRST + (SEEDS + 1) / 2; seed++) {
            new History(seed, true).run();
        }
    }

    private static final class History {
        private final long seed;
        private final Random random;
        private final FakeCluster server = new FakeCluster();
        private final InMemoryJournal store = new InMemoryJournal();
        private final TestClock clock = TestClock.at(Instant.parse("2026-01-02T03:04:05Z"));
        private final Map<String, List<String>> settings = new HashMap<>();
        private final List<LaggingCluster> clusters = new ArrayList<>();
        private final List<Replica> replicas = new ArrayList<>();
        private final Deque<String> story = new ArrayDeque<>();
        private final boolean multi;
        private final boolean dual;
        /** How many steps there are for each that fails, about. */
        private final int calm;

        /** Of how many times one the watches tell something. */
        private final int lag;

        private int failing;

        /** @param multi whether blocks are of ClusterCIDRs */
        History(long seed, boolean multi) {
            this.seed = seed;
            this.random = new Random(seed);
            this.multi = multi;
            this.dual = random.nextBoolean();
            this.lag = List.of(1, 3, 10).get(random.nextInt(3));
            this.calm = List.of(8, 25, 80).get(random.nextInt(3));
            if (multi) {
                settings.put("cidr_allocator_type", List.of("MultiCIDRRangeAllocator"));
            }
            // 8 blocks, two of which are the services', and 8 of IPv6
            settings.put(
                    "cluster_cidr",
                    multi ? List.of() : dual ? List.of("10.0.0.0/24", "fd00::/125") : List.of("10.0.0.0/24"));
            settings.put("service_cluster_ip_range", List.of("10.0.0.64/26"));
            settings.put(dual && !multi ? "node_cidr_mask_size_ipv4" : "node_cidr_mask_size", List.of("27"));
            if (dual && !multi) {
                settings.put("node_cidr_mask_size_ipv6", List.of("128"));
            }
            for (int i = 0; i < 2; i++) {
                LaggingCluster cluster = new LaggingCluster(server, random, this::note);
                clusters.add(cluster);
                replicas.add(new Replica(store, cluster, settings, clock));
            }
        }

        void run() {
            try {
                lead(0);
                for (int step = 0; step < STEPS; step++) {
                    step();
                    requireNothingTwice();
                }
                settle();
                requireSettled();
                requireTheSameAfterARestart();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", story), e);
            } finally {
                replicas.forEach(Replica::close);
            }
        }

        private void note(String what) {
            story.add(what);
            if (story.size() > STORY) {
                story.remove();
            }
        }

        private void step() {
            if (failing > 0 && --failing == 0) {
                store.failing(false);
            }
            int which = random.nextInt(2);
            Replica replica = replicas.get(which);
            LaggingCluster cluster = clusters.get(which);
            if (random.nextInt(calm) == 0) {
                fail(which);
                return;
            }
            switch (random.nextInt(20)) {
                case 0, 1, 2 -> changeANode();
                case 3 -> {
                    reopen(replica);
                    if (multi) {
                        changeAClusterCidr();
                    }
                }
                case 4, 5, 6, 7 -> tellNews(cluster);
                case 8, 9, 10 -> cluster.step();
                case 11 -> reconcile(which, replica.later);
                case 12, 13, 14, 15 -> reconcile(which, replica.queue);
                default -> perform(which);
            }
        }

        private void fail(int which) {
            Replica replica = replicas.get(which);
            LaggingCluster cluster = clusters.get(which);
            switch (random.nextInt(7)) {
                case 0 -> {
                    note("crash of " + which);
                    boolean led = replica.leads;
                    cluster.crash();
                    replica.crash();
                    if (led) {
                        replica.lead();
                    }
                }
                case 1 -> {
                    note(which + " leads from now on, " + (1 - which) + " goes on for a while");
                    lead(which);
                }
                case 2 -> {
                    note(which + " leads in the place of " + (1 - which));
                    follow(1 - which);
                    lead(which);
                }
                case 3 -> {
                    if (replicas.get(1 - which).leads) {
                        note(which + " leads no more");
                        follow(which);
                    }
                }
                case 4 -> {
                    note("the watch of " + which + " breaks");
                    cluster.loseWatch();
                }
                case 5 -> {
                    note("commits fail");
                    store.failing(true);
                    failing = 1 + random.nextInt(4);
                }
                default -> clock.move(Duration.ofSeconds(random.nextInt(300)));
            }
        }

        private void lead(int which) {
            if (!replicas.get(which).leads) {
                clusters.get(which).leads = true;
                replicas.get(which).lead();
            }
        }

        private void follow(int which) {
            if (replicas.get(which).leads) {
                clusters.get(which).leads = false;
                replicas.get(which).follow();
            }
        }

        private static void reopen(Replica replica) {
            if (replica.leads && replica.lost().isPresent()) {
                replica.unwatch();
                replica.watch();
            }
        }

        private void tellNews(LaggingCluster cluster) {
            if (random.nextInt(lag) > 0) {
                return;
            }
            for (int i = random.nextInt(4); i >= 0 && !cluster.news.isEmpty(); i--) {
                cluster.news.remove().run();
            }
        }

        private void reconcile(int which, Collection<String> keys) {
            Replica replica = replicas.get(which);
            if (replica.ready() && !keys.isEmpty()) {
                String key = List.copyOf(keys).get(random.nextInt(keys.size()));
                note(which + " reconciles " + key);
                replica.reconcile(key);
            }
        }

        private void perform(int which) {
            Replica replica = replicas.get(which);
            List<PendingEffect> due = replica.leads ? replica.due() : List.of();
            if (!due.isEmpty()) {
                PendingEffect effect = due.get(random.nextInt(due.size()));
                note(which + " performs " + effect.handler() + " " + effect.key());
                replica.perform(effect);
            }
        }

        private void changeANode() {
            ObjectRef ref = ObjectRef.node("n" + random.nextInt(NODES));
            Optional<ClusterObject> known = server.find(ref);
            if (known.isEmpty()) {
                List<String> finalizers = random.nextInt(6) == 0 ? List.of("a/b") : List.of();
                server.put(ClusterObject.of(ref, Map.of("spec", Map.of()))
                        .withFinalizers(finalizers)
                        .withLabels(labels()));
                note(ref + " is made");
            } else if (random.nextInt(3) == 0) {
                server.put(known.get().withLabels(labels()));
                note(ref + " changes");
            } else if (known.get().deletion().isPresent()) {
                server.put(known.get().withFinalizers(List.of()));
                note(ref + " is gone");
            } else {
                server.remove(ref);
                note(ref + " is deleted");
                if (random.nextInt(3) == 0 && server.find(ref).isEmpty()) {
                    server.put(ClusterObject.of(ref, Map.of("spec", Map.of())).withLabels(labels()));
                    note(ref + " is made anew");
                }
            }
        }

        private Map<String, String> labels() {
            return Map.of("pool", "p" + random.nextInt(3), "changed", Integer.toString(random.nextInt(1_000)));
        }

        /** Three of them, each for a pool or for all nodes, of ranges that overlap, with blocks of different sizes; some are nonsense. */
        private void changeAClusterCidr() {
            String name = "p" + random.nextInt(3);
            ObjectRef ref = ObjectRef.of(ClusterCidr.KIND, name);
            Optional<ClusterObject> known = server.find(ref);
            if (known.isEmpty() || random.nextInt(8) == 0) {
                ClusterObject was = known.orElseGet(() -> ClusterObject.of(ref, Map.of()));
                server.put(new ClusterObject(
                        ref,
                        "",
                        "",
                        Map.of(),
                        was.annotations(),
                        was.finalizers(),
                        was.deletion(),
                        Map.of("spec", spec(name))));
                note(ref + " is written");
            } else if (random.nextInt(3) == 0) {
                server.remove(ref);
                note(ref + " is deleted");
            }
        }

        private Map<String, Object> spec(String pool) {
            Map<String, Object> spec = new HashMap<>();
            spec.put("perNodeHostBits", random.nextInt(10) == 0 ? 3 : 4 + random.nextInt(2));
            spec.put("ipv4", "10.0.0." + 64 * random.nextInt(4) + "/26");
            if (random.nextBoolean()) {
                spec.put("ipv6", "fd00::/122");
            }
            if (random.nextInt(3) > 0) {
                Map<String, ?> expression = Map.of("key", "pool", "operator", "In", "values", List.of(pool));
                spec.put(
                        "nodeSelector",
                        Map.of("nodeSelectorTerms", List.of(Map.of("matchExpressions", List.of(expression)))));
            }
            return spec;
        }

        private List<ClusterObject> nodes() {
            return server.informer(ObjectKind.NODE).list();
        }

        private static List<Subnet> cidrs(ClusterObject node) {
            return node.texts("spec", "podCIDRs").stream().map(Subnet::parse).toList();
        }

        /** N1, N2 and N4, at any time. */
        private void requireNothingTwice() {
            Map<Subnet, String> taken = new HashMap<>();
            for (ClusterObject node : nodes()) {
                List<Subnet> cidrs = cidrs(node);
                require(multi || cidrs.isEmpty() || cidrs.size() == (dual ? 2 : 1), node.name() + " has " + cidrs);
                for (Subnet cidr : cidrs) {
                    taken.forEach((other, its) -> require(
                            !other.contains(cidr.first()) && !cidr.contains(other.first()),
                            cidr + " of " + node.name() + " overlaps with " + other + " of " + its));
                    taken.put(cidr, node.name());
                    require(
                            !Subnet.parse("10.0.0.64/26").contains(cidr.first()),
                            node.name() + " has " + cidr + " of the services");
                }
            }
        }

        private static void require(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError(what);
            }
        }

        /** Nothing fails any more, one replica leads, and all that can be done is done. */
        private void settle() {
            note("from now on nothing fails");
            store.failing(false);
            clusters.forEach(cluster -> cluster.faults = false);
            int leader = random.nextInt(2);
            lead(leader);
            follow(1 - leader);
            for (int round = 0; round < 60; round++) {
                settle(replicas.get(leader), clusters.get(leader));
                if (round == LATEST) {
                    clusters.forEach(cluster -> cluster.stray.forEach(LaggingCluster.Sending::arrive));
                    clusters.forEach(cluster -> cluster.stray.clear());
                }
                requireNothingTwice();
            }
        }

        private void settle(Replica replica, LaggingCluster cluster) {
            reopen(replica);
            while (!cluster.news.isEmpty()) {
                cluster.news.remove().run();
            }
            if (replica.ready()) {
                List.copyOf(replica.queue).forEach(replica::reconcile);
                List.copyOf(replica.later).forEach(replica::reconcile);
            }
            replica.due().forEach(replica::perform);
            while (!cluster.underWay.isEmpty()) {
                cluster.step();
            }
        }

        private Replica leader() {
            return replicas.stream()
                    .filter(replica -> replica.leads)
                    .findFirst()
                    .orElseThrow();
        }

        /** N3 and N5; and each node has blocks, or there are none. */
        private void requireSettled() {
            Replica replica = leader();
            require(replica.idle(), "effects are left: " + replica.due());
            Map<String, Set<String>> has = new TreeMap<>();
            long without = 0;
            for (ClusterObject node : nodes()) {
                if (!cidrs(node).isEmpty()) {
                    has.put(node.name(), texts(cidrs(node)));
                } else if (node.deletion().isEmpty()) {
                    without++;
                }
            }
            Map<String, Set<String>> memory = holdings(replica).stream()
                    .filter(holding -> holding.owner().kind() == Owner.Kind.NODE)
                    .collect(Collectors.groupingBy(
                            holding -> holding.owner().name(),
                            TreeMap::new,
                            Collectors.mapping(
                                    (Holding holding) -> holding.cidr().toString(),
                                    Collectors.toCollection(TreeSet::new))));
            assertThat(memory).as("who has what").isEqualTo(has);
            if (multi) {
                requireSettledClusterCidrs(replica);
                return;
            }
            int taken = has.size() + 2;
            assertThat(replica.part
                            .blocks()
                            .read("cluster-cidr", ranges -> ranges.get(0).taken()))
                    .as("blocks that are taken")
                    .contains(taken);
            require(without == 0 || taken == 8, without + " nodes have none, and " + (8 - taken) + " are free");
            assertThat(replica.rows()).as("nodes that wait").hasSize((int) without);
            replica.rows().forEach((name, row) -> requireTold(name, (UnderWay.Waiting) row));
        }

        /** N7: the last event says why. */
        private void requireTold(String node, UnderWay.Waiting row) {
            List<ClusterEvent> events = server.events(ObjectRef.node(node));
            require(!events.isEmpty(), node + " waits, and nothing was told");
            assertThat(events.get(events.size() - 1).message())
                    .isEqualTo("Node " + node + " status is now: CIDRNotAvailable: " + row.why());
        }

        /** A node without blocks has none to get; what is deleted, and has no nodes, is gone. */
        private void requireSettledClusterCidrs(Replica replica) {
            List<ClusterObject> objects = server.informer(ClusterCidr.KIND).list();
            List<String> serving = objects.stream()
                    .filter(object -> object.deletion().isEmpty())
                    .map(ClusterObject::name)
                    .filter(name -> replica.part
                            .blocks()
                            .read(name, ranges -> ranges.stream().allMatch(range -> range.taken() < range.size()))
                            .orElse(false))
                    .toList();
            for (ClusterObject node : nodes()) {
                if (cidrs(node).isEmpty() && node.deletion().isEmpty()) {
                    String pool = String.valueOf(node.labels().get("pool"));
                    require(!serving.contains(pool), node.name() + " has none, and " + pool + " has free blocks");
                }
            }
            replica.rows().forEach((name, row) -> requireTold(name, (UnderWay.Waiting) row));
            for (ClusterObject object : objects) {
                boolean valid = replica.part.blocks().pools().contains(object.name());
                boolean guarded = object.finalizers().contains(MultiCidrCluster.FINALIZER);
                require(guarded || !valid, object.name() + " has no finalizer");
                require(
                        object.deletion().isEmpty() || hasNodes(replica, object.name()),
                        object.name() + " is deleted, no node has a block of it, and it stays");
            }
        }

        private boolean hasNodes(Replica replica, String clusterCidr) {
            return replica.part
                    .blocks()
                    .read(
                            clusterCidr,
                            ranges -> ranges.stream()
                                    .flatMap(range -> replica.part.blocks().overlapping(range.cidr()).stream())
                                    .anyMatch(holding -> holding.owner().kind() == Owner.Kind.NODE))
                    .orElse(false);
        }

        /** Who has what; a node that is deleted and got nothing keeps what was found for it until it is gone. */
        private List<Holding> holdings(Replica replica) {
            Set<String> leaving = nodes().stream()
                    .filter(node -> node.deletion().isPresent() && cidrs(node).isEmpty())
                    .map(ClusterObject::name)
                    .collect(Collectors.toSet());
            return replica.part.blocks().all().stream()
                    .filter(holding -> !leaving.contains(holding.owner().name()))
                    .toList();
        }

        private static Set<String> texts(List<Subnet> cidrs) {
            return cidrs.stream().map(Subnet::toString).collect(Collectors.toCollection(TreeSet::new));
        }

        /** N6. */
        private void requireTheSameAfterARestart() {
            Replica replica = leader();
            LaggingCluster cluster = clusters.get(replicas.indexOf(replica));
            List<Holding> before = holdings(replica);
            cluster.crash();
            replica.crash();
            replica.lead();
            for (int round = 0; round < 5; round++) {
                settle(replica, cluster);
            }
            assertThat(holdings(replica)).isEqualTo(before);
        }
    }
}

package io.enipam.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.testing.FakeDatapath;
import io.enipam.engine.testing.FakeFactory;
import io.enipam.engine.testing.FakePods;
import io.enipam.engine.testing.RecordedEvents;
import io.enipam.engine.testing.RecordedTraces;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.Address;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * A node whose whole life, the faults included, follows from one seed. It remembers what the engine acknowledged, and holds
 * the engine to it.
 */
final class SimulatedNode {
    private static final int CAPACITY = 8;
    private static final int PODS = 12;
    private static final Duration ADD_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration JUMP = Duration.ofHours(8);

    private final boolean clockJumps;
    private final SplittableRandom random;
    private final VirtualTime time;
    private final MemoryDb db;
    private final Map<String, FakeFactory> factories = new TreeMap<>();
    private final FakePods pods = new FakePods();
    private final FakeDatapath kernel = new FakeDatapath();
    private final RecordedEvents events;
    /** Of this life. */
    private RecordedTraces traces;

    private final Map<OwnerKey, Lease> acknowledged = new HashMap<>();
    private final Map<OwnerKey, String> owners = new HashMap<>();
    /** Sandboxes whose address was nobody's by any list when the database was lost. */
    private final Set<OwnerKey> unlisted = new HashSet<>();

    /** Sandboxes that outlived a database. */
    private final Set<OwnerKey> survivors = new HashSet<>();

    private final List<Pending> pending = new ArrayList<>();
    /** What the daemon keeps on disk about factories, by the rules it keeps it. */
    private String active = "cloud";

    private Instant activeSince = Instant.MIN;

    private final Set<String> leaving = new TreeSet<>();
    private final ExternalActor outside;
    private final LossEventChecker losses;
    private NodeIpam engine;
    private int life;
    private int totalSeen;
    private long comparisonsSeen;
    private double mishaps = 0.1;
    private int containers;

    SimulatedNode(long seed) {
        this(seed, false);
    }

    /** @param clockJumps whether the date is set, eight hours ahead or back, every now and then */
    SimulatedNode(long seed, boolean clockJumps) {
        this.clockJumps = clockJumps;
        random = new SplittableRandom(seed);
        time = new VirtualTime(random.split());
        db = new MemoryDb(time, () -> Duration.ofNanos(random.nextLong(2_000_000)));
        for (String name : List.of("cloud", "lab", "rack")) {
            factories.put(
                    name,
                    new FakeFactory(
                            name,
                            factories.size(),
                            time,
                            CAPACITY,
                            () -> Duration.ofMillis(random.nextInt(3_000)),
                            this::mishap));
        }
        events = new RecordedEvents(time);
        traces = new RecordedTraces(time);
        outside = new ExternalActor(random, time, factories);
        losses = new LossEventChecker(outside::gaveBack);
        engine = boot();
        engine.start();
    }

    private Optional<Failed> mishap() {
        if (random.nextDouble() >= mishaps) {
            return Optional.empty();
        }
        ErrorKind[] kinds = {
            ErrorKind.UNAVAILABLE,
            ErrorKind.THROTTLED,
            ErrorKind.ADDRESSES_EXHAUSTED,
            ErrorKind.INTERNAL,
            ErrorKind.UNAUTHORIZED,
            ErrorKind.MISCONFIGURED
        };
        return Optional.of(Failed.of(kinds[random.nextInt(kinds.length)], "injected"));
    }

    private NodeIpam boot() {
        int thisLife = ++life;
        return new NodeIpam(
                knobs(1, 2, CAPACITY),
                new EnginePorts(
                        new EngineContext(time, time, random.split(), db, events, traces = new RecordedTraces(time)),
                        pods,
                        kernel,
                        new FactorySet(
                                named(active),
                                leaving.stream().map(this::named).toList(),
                                drained -> drained(thisLife, drained)),
                        new DirectPolicy(new WatermarkPolicy(), events)));
    }

    /** Every sandbox's story ends when its caller is answered, and all that is undone after that ends too. */
    private void storiesHaveEnded() {
        for (TraceSnapshot story : traces.all()) {
            if (story.subject().owner().isPresent()) {
                assertThat(story.outcome()).as("%s", story).isNotEqualTo(TraceSnapshot.RUNNING);
                assertThat(story.steps())
                        .as("%s", story)
                        .noneMatch(step -> step.outcome().equals(TraceSnapshot.RUNNING));
            }
        }
    }

    private NamedFactory named(String name) {
        return new NamedFactory(name, factories.get(name));
    }

    private void drained(int ofLife, String name) {
        if (ofLife != life) {
            return;
        }
        assertThat(engine.pool().entries())
                .as("nothing of %s is left", name)
                .noneMatch(entry -> entry.resource().factory().equals(name));
        leaving.remove(name);
    }

    private void swap() {
        List<String> names = List.copyOf(factories.keySet());
        String next = names.get(random.nextInt(names.size()));
        if (next.equals(active) || engine.status().phase() != EngineStatus.Phase.READY) {
            return;
        }
        int thisLife = life;
        boolean wasLeaving = !leaving.add(next);
        engine.switchFactory(named(next)).whenComplete((done, error) -> {
            if (thisLife != life) {
                return;
            }
            if (error == null) {
                leaving.remove(next);
                String former = active;
                active = next;
                activeSince = time.now();
                // one that had nothing out is told as drained before the swap is told as done
                if (engine.factories().stream().anyMatch(view -> view.name().equals(former))) {
                    leaving.add(former);
                }
            } else if (!wasLeaving
                    && engine.factories().stream().noneMatch(view -> view.name().equals(next))) {
                leaving.remove(next);
            }
        });
    }

    /** @param above the upper watermark above the lower one */
    private static EngineConfig knobs(int minIdle, int above, int capacity) {
        return new EngineConfig(
                new Watermarks(minIdle, minIdle + above, capacity),
                EngineConfig.defaults().families(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(2),
                new EngineConfig.Intervals(Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(45)));
    }

    private void swapPolicy() {
        PoolPolicy next = random.nextBoolean() ? new WatermarkPolicy() : new RandomPolicy(random.nextLong());
        engine.use(
                random.nextBoolean()
                        ? new DirectPolicy(next, events)
                        : new DelayedPolicy(next, time, () -> Duration.ofMillis(random.nextInt(120))));
    }

    /** Picks and sheds whatever is idle, by a rule that is nobody's business. */
    private record RandomPolicy(long seed) implements PoolPolicy {
        @Override
        public String name() {
            return "whimsical";
        }

        @Override
        public Pick pick(PoolSnapshot pool, PodRef pod) {
            List<ResourceView> idle = pool.in(ResourceState.IDLE);
            int index = (int) Math.floorMod(seed + pod.hashCode(), (long) idle.size());
            return Pick.chosen(idle.get(index).resource().id());
        }

        @Override
        public Target target(PoolSnapshot pool) {
            int extra = pool.waiting() > 0 ? 1 : 0;
            return new Target(
                    pool.minIdle() + extra,
                    pool.maxIdle() + extra,
                    pool.in(ResourceState.IDLE).stream()
                            .map(view -> view.resource().id())
                            .sorted()
                            .toList());
        }
    }

    /** One random thing happens, then some time passes. */
    void step() {
        if (clockJumps && random.nextInt(6) == 0) {
            time.setClock(random.nextBoolean() ? JUMP : JUMP.negated());
        }
        switch (random.nextInt(34)) {
            case 0, 1, 2, 3, 4, 5, 6 -> add();
            case 7, 8, 9, 10 -> del();
            case 11 -> podVanishes();
            case 12 -> engine.collect(random.nextBoolean());
            case 13 -> crash(random.nextInt(4) == 0);
            case 14 -> db.broken(random.nextInt(3) == 0);
            case 15 -> anyFactory().down(random.nextInt(3) == 0);
            case 16 -> pods.down(random.nextInt(3) == 0);
            case 17 -> kernel.failSetUp(random.nextInt(3) == 0);
            case 19 -> swap();
            case 20 -> swapPolicy();
            case 18 -> kernel.failTearDown(random.nextInt(3) == 0);
            case 22, 23 -> outside.takes(anyOf(inForce()));
            case 24 -> outside.givesBack();
            case 25 -> outside.meddles(anyOf(inForce()));
            case 26 -> engine.reconcile();
            case 27 -> outside.slowsLists(anyFactory());
            case 28 -> kernel.failList(random.nextInt(3) == 0);
            case 29 -> kernel.tellPods(random.nextInt(3) > 0);
            case 30 -> kernel.tellPods(true);
            case 32, 33 -> pods.watch();
            case 31 -> engine.reconfigure(knobs(random.nextInt(3), random.nextInt(4), 1 + random.nextInt(CAPACITY)));
            default -> time.advance(Duration.ofSeconds(random.nextInt(40)));
        }
        time.advance(Duration.ofMillis(random.nextInt(2_000)));
        settleAnswers();
        check();
        checkLosses();
    }

    private FakeFactory anyFactory() {
        return factories.get(anyOf(factories.keySet()));
    }

    private String anyOf(Set<String> names) {
        List<String> all = names.stream().sorted().toList();
        return all.get(random.nextInt(all.size()));
    }

    /** The factories that the engine knows of. */
    private Set<String> inForce() {
        Set<String> names = new TreeSet<>(leaving);
        names.add(active);
        return names;
    }

    private void add() {
        String pod = "default/p" + random.nextInt(PODS);
        if (random.nextInt(4) > 0) {
            pods.put(pod, "uid-" + containers, false, random.nextInt(3) == 0 ? Duration.ofSeconds(60) : Duration.ZERO);
        }
        OwnerKey owner = new OwnerKey("enipam", "c" + containers++, "eth0");
        owners.put(owner, pod);
        // the watch may be behind
        String uid = random.nextBoolean() ? pods.uid(pod) : "";
        AddCommand command = new AddCommand(owner, PodRef.parse(pod), uid, LinkRequest.simulated(), ADD_TIMEOUT, "");
        pending.add(new Pending(owner, engine.add(command), time.nanoTime()));
        if (random.nextInt(5) == 0) {
            engine.add(command);
        }
    }

    private void del() {
        if (owners.isEmpty()) {
            return;
        }
        List<OwnerKey> all = owners.keySet().stream().sorted().toList();
        OwnerKey owner = all.get(random.nextInt(all.size()));
        acknowledged.remove(owner);
        owners.remove(owner);
        pending.removeIf(p -> p.owner.equals(owner));
        engine.del(owner);
    }

    private void podVanishes() {
        String pod = "default/p" + random.nextInt(PODS);
        pods.remove(pod);
        acknowledged.keySet().removeIf(owner -> pod.equals(owners.get(owner)));
    }

    /** The kubelet tells the API server what address a pod has. */
    private void addressKnown(Lease lease) {
        pods.addressed(
                lease.pod().toString(),
                lease.resource().addresses().stream().map(Address::ip).toList());
    }

    /**
     * The daemon dies; at times its database is lost with it, while the pods run on.
     *
     * @param lost whether the disk is wiped
     */
    private void crash(boolean lost) {
        time.crash();
        if (lost) {
            db.lose();
            survivors.addAll(acknowledged.keySet());
            acknowledged.forEach(this::mayBeUnknown);
            // a rebuilt lease may know of a UID that the lost one did not, and end when a pod of the name is made anew
            acknowledged.values().removeIf(lease -> lease.podUid().isEmpty());
            if (!kernel.tellsPods()) {
                // nobody can say whose a former sandbox of a pod is: it ends after a while
                acknowledged.values().removeIf(lease -> !isPodsAddress(lease));
            }
        } else {
            db.crash();
        }
        pending.clear();
        losses.hear(events.all());
        losses.restart();
        engine = boot();
        engine.start();
    }

    private boolean isPodsAddress(Lease lease) {
        return lease.resource().addresses().stream()
                .allMatch(address -> pods.addresses(lease.pod()).contains(address.ip()));
    }

    /** Whether no list may have told of the address of a sandbox since the database was lost, so that no lease was rebuilt. */
    private boolean mayBeUnknown(OwnerKey owner, Lease lease) {
        FakeFactory maker = factories.get(lease.resource().factory());
        boolean listed = lease.resource().factory().equals(active)
                && maker.contents().contains(lease.resource())
                && !maker.concealed().contains(lease.resource().id());
        if (survivors.contains(owner) && !listed) {
            unlisted.add(owner);
        }
        return unlisted.contains(owner);
    }

    private void settleAnswers() {
        for (Pending add : List.copyOf(pending)) {
            if (!add.future.isDone()) {
                assertThat(time.nanoTime() - add.since)
                        .as("an ADD is answered within its timeout")
                        .isLessThanOrEqualTo(ADD_TIMEOUT.toNanos());
                continue;
            }
            pending.remove(add);
            if (!add.future.isCompletedExceptionally()) {
                Lease lease = add.future.join().lease();
                boolean stillWanted = pods.find(lease.pod())
                        .toCompletableFuture()
                        .handle((found, error) -> error != null
                                || found.filter(pod -> pod.uid().equals(lease.podUid())
                                                || lease.podUid().isEmpty())
                                        .isPresent())
                        .join();
                if (stillWanted) {
                    addressKnown(lease);
                    acknowledged.put(add.owner, lease);
                }
            }
        }
        // the UID that a lease was made without may be known by now
        acknowledged.replaceAll((owner, lease) -> engine.lease(owner)
                .filter(now -> now.resource().equals(lease.resource()))
                .orElse(lease));
        // a pod re-created under the same name makes the old one's sandboxes fair game for the collector
        acknowledged
                .entrySet()
                .removeIf(e -> engine.status().phase() == EngineStatus.Phase.READY
                        && pods.find(e.getValue().pod())
                                .toCompletableFuture()
                                .handle((found, error) -> error == null
                                        && found.filter(pod ->
                                                        e.getValue().podUid().isEmpty()
                                                                || pod.uid()
                                                                        .equals(e.getValue()
                                                                                .podUid()))
                                                .isEmpty())
                                .join());
    }

    private void check() {
        List<Lease> rows = db.contents().leases();
        assertThat(rows.stream().map(row -> row.resource().id()))
                .as("an address has one owner")
                .doesNotHaveDuplicates();
        acknowledged.forEach(this::mayBeUnknown);
        if (db.contents().node().isPresent()) {
            acknowledged.forEach((owner, lease) -> {
                assertThat(rows)
                        .as("nobody else has the address of %s", owner)
                        .noneMatch(row ->
                                !row.owner().equals(owner) && row.resource().equals(lease.resource()));
                assertThat(mayBeUnknown(owner, lease)
                                || rows.stream()
                                        .anyMatch(row -> row.owner().equals(owner)
                                                && row.resource().equals(lease.resource())))
                        .as("the lease that %s was told of is on disk", owner)
                        .isTrue();
            });
        } else {
            assertThat(engine.status().phase())
                    .as("nothing is served on a lost database before the leases are rebuilt")
                    .isNotEqualTo(EngineStatus.Phase.READY);
        }
        PoolView pool = engine.pool();
        if (engine.status().phase() == EngineStatus.Phase.READY) {
            // what was out there at a start is out there: then the pool may only shrink towards its bound
            losses.hear(events.all());
            int total = losses.left(pool) + pool.summary().count(ResourceState.CREATING);
            // and what the cloud gives back to a pod, or turns out to be a pod's, is the pod's, full or not
            long comparisons = events.types().stream()
                    .filter(type -> Set.of("Recovered", "AddressRegained", "LeaseRebuilt")
                            .contains(type))
                    .count();
            int most = comparisons == comparisonsSeen ? Math.max(CAPACITY, totalSeen) : Integer.MAX_VALUE;
            assertThat(total).as("capacity bounds all states").isLessThanOrEqualTo(most);
            assertThat(pool.entries())
                    .as("what is in the pool, and not lost, is its maker's")
                    .filteredOn(entry -> !losses.isLost(entry.resource()))
                    .allMatch(entry -> entry.resource()
                            .id()
                            .value()
                            .startsWith(entry.resource().factory()));
            totalSeen = total;
            comparisonsSeen = comparisons;
        }
        Set<String> left = engine.factories().stream()
                .filter(view -> view.role() == FactoryView.Role.LEAVING)
                .map(FactoryView::name)
                .collect(Collectors.toSet());
        assertThat(pool.entries())
                .as("nothing of a leaving factory is idle")
                .noneMatch(entry -> entry.state() == ResourceState.IDLE
                        && left.contains(entry.resource().factory()));
        Set<Object> lent = new HashSet<>();
        pool.entries().stream()
                .flatMap(entry -> entry.owner().stream())
                .forEach(owner -> assertThat(lent.add(owner))
                        .as("an owner has one address")
                        .isTrue());
    }

    private void checkLosses() {
        losses.hear(events.all());
        PoolView pool = engine.pool();
        losses.isWhatThePoolSays(pool);
        // a comparison and a swap are put in their order by their dates
        if (!clockJumps && engine.factories().size() == 1) {
            engine.status()
                    .lastReconcile()
                    .filter(report -> report.startedAt().isAfter(activeSince))
                    .ifPresent(report -> outside.isKnownAfter(report, active, pool));
        }
        outside.saw(pool);
    }

    /** The last events, for the report of a seed that failed. */
    String story() {
        List<io.enipam.engine.model.Event> all = events.all();
        return all
                .subList(Math.max(0, all.size() - Integer.getInteger("enipam.simulation.events", 60)), all.size())
                .stream()
                .map(e -> e.at() + " " + e.type() + " " + e.subject() + ": " + e.message())
                .collect(Collectors.joining("\n"));
    }

    /** Faults end, pods go, time passes: then nothing may be left over anywhere. */
    void windUp() {
        mishaps = 0;
        engine.reconfigure(knobs(1, 2, CAPACITY));
        db.broken(false);
        factories.values().forEach(factory -> factory.down(false));
        pods.down(false);
        kernel.failSetUp(false);
        kernel.failTearDown(false);
        kernel.failList(false);
        for (int i = 0; i < PODS; i++) {
            pods.remove("default/p" + i);
        }
        time.advance(Duration.ofMinutes(25));
        checkLosses();

        PoolView pool = engine.pool();
        assertThat(engine.status().phase()).isEqualTo(EngineStatus.Phase.READY);
        assertThat(db.contents().leases()).as("leases left").isEmpty();
        assertThat(db.contents().intents()).as("intents left").isEmpty();
        assertThat(db.contents().holds()).as("holds left").isEmpty();
        assertThat(db.contents().node()).as("the database is settled").isPresent();
        assertThat(kernel.connected()).as("pods still connected").isEmpty();
        assertThat(pool.summary().waiting()).isZero();
        assertThat(pool.summary().count(ResourceState.CREATING)).isZero();
        assertThat(pool.entries()).as("all is idle").allMatch(entry -> entry.state() == ResourceState.IDLE);
        assertThat(pool.summary().count(ResourceState.IDLE)).isBetween(1, 3);
        storiesHaveEnded();
        assertThat(leaving).as("factories that still leave").isEmpty();
        assertThat(engine.factories()).extracting(FactoryView::name).containsExactly(active);
        factories.forEach((name, factory) -> assertThat(factory.contents().stream()
                        .filter(made -> name.equals(active) || !outside.meddledWith(name, made))
                        .map(Resource::id)
                        .collect(Collectors.toSet()))
                .as("the books of %s are the pool's", name)
                .isEqualTo(pool.entries().stream()
                        .filter(entry -> entry.resource().factory().equals(name))
                        .map(entry -> entry.resource().id())
                        .collect(Collectors.toSet())));
    }

    private record Pending(OwnerKey owner, CompletableFuture<AddOutcome> future, long since) {}
}

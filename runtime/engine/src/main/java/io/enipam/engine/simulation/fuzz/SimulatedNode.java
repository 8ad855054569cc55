package io.enipam.engine.simulation.fuzz;

import static io.enipam.engine.simulation.fuzz.Violation.require;
import static io.enipam.engine.simulation.fuzz.Violation.requireEqual;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A node to which the steps of a script happen: an engine between a cloud of three factories, a disk, an API server, a kernel and the
 * container runtime, all in memory and in virtual time. Behind each step every invariant is checked; a broken one throws {@link
 * Violation.Broken}. For one thread.
 */
final class SimulatedNode {
    /** The most addresses that each factory and the pool may have. */
    static final int CAPACITY = 8;
    /** Lists may not show what is younger. */
    static final Duration YOUNG = Duration.ofMinutes(2);

    private static final Duration JUMP = Duration.ofHours(8);
    private static final Duration STICK = Duration.ofSeconds(60);
    private static final Duration LAST_WORK = Duration.ofSeconds(2);
    /** Behind the last step, all that was begun ends within this time. */
    private static final Duration REST = Duration.ofMinutes(25);
    /** An engine that runs more tasks in a row never comes to rest. */
    private static final int MOST_TASKS = 500_000;

    private static final List<String> FACTORIES = List.of("cloud", "lab", "rack");
    private static final List<ErrorKind> FAILURES = List.of(
            ErrorKind.UNAVAILABLE,
            ErrorKind.THROTTLED,
            ErrorKind.ADDRESSES_EXHAUSTED,
            ErrorKind.INTERNAL,
            ErrorKind.UNAUTHORIZED,
            ErrorKind.MISCONFIGURED);

    private final Draws draws;
    private final Script.Outside usual;
    private final UnaryOperator<EnginePorts> plug;
    private final VirtualTime time;
    private final MemoryDb db;
    private final Map<String, MemoryFactory> factories = new TreeMap<>();
    private final MemoryPods pods = new MemoryPods();
    private final MemoryDatapath kernel = new MemoryDatapath();
    private final RecordedEvents events;
    private final List<String> heard = new ArrayList<>();
    private final Callers callers;
    private final ExternalActor outside;
    private final LossEventChecker losses;

    /** What the daemon keeps on disk about factories. */
    private String active = "cloud";

    private Instant activeSince = Instant.MIN;
    private final Set<String> leaving = new TreeSet<>();
    /** Of factories that were told to be drained and were not. */
    private final List<String> undrained = new ArrayList<>();

    private NodeIpam engine;
    /** Of this life. */
    private RecordedTraces traces;

    private int life;
    private boolean clockWasSet;
    private boolean calm;
    private int totalSeen;
    private int changesSeen;
    private int told;

    /** What is drawn during a step follows from the script's seed and the step's number alone. */
    private static final class Draws {
        private final long seed;
        private SplittableRandom outside;
        private SplittableRandom order;
        private SplittableRandom jitter;

        Draws(long seed) {
            this.seed = seed;
            SplittableRandom start = new SplittableRandom(seed);
            outside = start.split();
            order = start.split();
            jitter = start.split();
        }

        void during(int step) {
            SplittableRandom mine = new SplittableRandom(seed ^ Long.rotateLeft(step, 32));
            outside = mine.split();
            order = mine.split();
            jitter = mine.split();
        }
    }

    /** @param plug what stands between each engine that is made and its ports */
    SimulatedNode(Script script, UnaryOperator<EnginePorts> plug) {
        this.usual = script.outside();
        this.plug = plug;
        draws = new Draws(script.seed());
        time = new VirtualTime(() -> draws.order.nextLong());
        db = new MemoryDb(time, () -> Duration.ofNanos(draws.outside.nextLong(1_000L * usual.disk() + 1)));
        for (String name : FACTORIES) {
            factories.put(
                    name,
                    new MemoryFactory(
                            name,
                            factories.size(),
                            time,
                            CAPACITY,
                            () -> Duration.ofMillis(draws.outside.nextInt(usual.latency() + 1)),
                            this::failure));
        }
        events = new RecordedEvents(time);
        traces = new RecordedTraces(time);
        outside = new ExternalActor(time, factories);
        losses = new LossEventChecker(outside::gaveBack);
        callers = new Callers(time, pods, this::isListed, heard::add);
        engine = boot();
    }

    private Optional<Failed> failure() {
        if (calm || draws.outside.nextInt(100) >= usual.failures()) {
            return Optional.empty();
        }
        return Optional.of(Failed.of(FAILURES.get(draws.outside.nextInt(FAILURES.size())), "injected"));
    }

    private boolean isListed(Lease lease) {
        MemoryFactory maker = factories.get(lease.resource().factory());
        return lease.resource().factory().equals(active)
                && maker.contents().contains(lease.resource())
                && !maker.concealed().contains(lease.resource().id());
    }

    private NodeIpam boot() {
        int thisLife = ++life;
        traces = new RecordedTraces(time);
        EngineContext context = new EngineContext(time, time, () -> draws.jitter.nextLong(), db, events, traces);
        FactorySet supplies = new FactorySet(
                named(active), leaving.stream().map(this::named).toList(), drained -> drained(thisLife, drained));
        return new NodeIpam(
                config(1, 2, CAPACITY),
                plug.apply(new EnginePorts(
                        context, pods, kernel, supplies, new DirectPolicy(new WatermarkPolicy(), events))));
    }

    /** The daemon starts. */
    void start() {
        engine.start();
    }

    private NamedFactory named(String name) {
        return new NamedFactory(name, factories.get(name));
    }

    private void drained(int ofLife, String name) {
        if (ofLife == life) {
            // thrown here, it would be the engine's to catch
            engine.pool().entries().stream()
                    .filter(entry -> entry.resource().factory().equals(name))
                    .forEach(entry -> undrained.add(entry.resource().id() + " " + entry.state()));
            leaving.remove(name);
        }
    }

    /** @param above the upper watermark above the lower one */
    private static EngineConfig config(int minIdle, int above, int capacity) {
        return new EngineConfig(
                new Watermarks(minIdle, minIdle + above, capacity),
                EngineConfig.defaults().families(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(2),
                new EngineConfig.Intervals(Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(45)));
    }

    /** How much time has passed since the beginning. */
    Duration elapsed() {
        return Duration.ofNanos(time.nanoTime());
    }

    /** One step happens, some time passes, and every invariant is checked. */
    void run(Step step) {
        draws.during(step.number());
        perform(step);
        pass(Duration.ofMillis(step.value(Value.THEN)));
        callers.settle(engine);
        check();
        checkLosses();
    }

    private void perform(Step step) {
        boolean fails = step.has(Value.STATE);
        switch (step.action()) {
            case ADD -> add(step);
            case DEL -> callers.del(engine, step.value(Value.CONTAINER));
            case VANISH -> {
                pods.remove(pod(step));
                callers.vanished(pod(step));
            }
            case COLLECT -> engine.collect(step.has(Value.DRY));
            case CRASH -> crash(step.value(Value.TASKS), step.has(Value.LOST));
            case DISK -> db.broken(fails);
            case CLOUD -> factory(step).down(fails);
            case API -> pods.down(fails);
            case SETUP -> kernel.failSetUp(fails);
            case TEARDOWN -> kernel.failTearDown(fails);
            case KERNEL -> kernel.failList(fails);
            case NAMES -> kernel.tellPods(!fails);
            case WATCH -> pods.watch();
            case SWITCH -> switchTo(FACTORIES.get(step.value(Value.FACTORY)));
            case POLICY -> usePolicy(step);
            case CONFIGURE ->
                engine.reconfigure(config(step.value(Value.MIN), step.value(Value.ABOVE), step.value(Value.CAPACITY)));
            case RECONCILE -> engine.reconcile();
            case TAKE -> outside.takes(inForce(step), step.value(Value.ADDRESS), step.has(Value.ALL));
            case RETURN -> outside.givesBack(step.value(Value.ADDRESS));
            case APPEAR -> outside.makes(inForce(step));
            case MOVE -> outside.moves(inForce(step), step.value(Value.ADDRESS));
            case LISTS -> list(step);
            case CLOCK -> {
                clockWasSet = true;
                time.setClock(step.has(Value.DIRECTION) ? JUMP.negated() : JUMP);
            }
            case WAIT -> pass(Duration.ofSeconds(step.value(Value.SPAN)));
        }
    }

    private void pass(Duration span) {
        long until = time.nanoTime() + span.toNanos();
        int tasks = 0;
        while (time.runNext(until)) {
            tasks++;
            require(
                    tasks < MOST_TASKS,
                    "the engine comes to rest",
                    "fewer than " + MOST_TASKS + " tasks in " + span,
                    () -> "more, at " + elapsed());
        }
        time.advance(Duration.ofNanos(until - time.nanoTime()));
    }

    private static String pod(Step step) {
        return "default/p" + step.value(Value.POD);
    }

    private MemoryFactory factory(Step step) {
        return factories.get(FACTORIES.get(step.value(Value.FACTORY)));
    }

    private String inForce(Step step) {
        return step.has(Value.ROLE) ? leaving.stream().findFirst().orElse(active) : active;
    }

    private void add(Step step) {
        String pod = pod(step);
        int container = step.value(Value.CONTAINER);
        if (step.has(Value.CREATED)) {
            pods.put(pod, "uid-" + container, false, step.has(Value.STICKY) ? STICK : Duration.ZERO);
        }
        // the container runtime may be behind
        String uid = step.has(Value.UID) ? pods.uid(pod) : "";
        callers.add(engine, container, pod, uid, step.has(Value.TWICE));
    }

    private void list(Step step) {
        Duration delay = Duration.ofMillis(step.value(Value.DELAY));
        switch (step.value(Value.LISTING)) {
            case 0 -> factory(step).listsAfter(delay);
            case 1 -> factory(step).listsStaleAfter(delay);
            default -> factory(step).listsNext(List.of());
        }
    }

    private void usePolicy(Step step) {
        PoolPolicy next = step.has(Value.POLICY) ? new RandomPolicy(step.value(Value.SEED)) : new WatermarkPolicy();
        engine.use(
                step.has(Value.LATE)
                        ? new DelayedPolicy(next, time, () -> Duration.ofMillis(draws.outside.nextInt(120)))
                        : new DirectPolicy(next, events));
    }

    private void switchTo(String next) {
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
                // one that had nothing out is reported as drained before the switch is reported as done
                if (knows(former)) {
                    leaving.add(former);
                }
            } else if (!wasLeaving && !knows(next)) {
                leaving.remove(next);
            }
        });
    }

    private boolean knows(String factory) {
        return engine.factories().stream().anyMatch(view -> view.name().equals(factory));
    }

    /**
     * The daemon dies; at times its database is lost with it, while the pods run on.
     *
     * @param tasks so many of its tasks run before, if they are due soon
     * @param lost whether the disk is wiped
     */
    private void crash(int tasks, boolean lost) {
        for (int i = 0; i < tasks && time.runNext(time.nanoTime() + LAST_WORK.toNanos()); i++) {
            callers.settle(engine);
        }
        time.crash();
        if (lost) {
            db.lose();
            callers.databaseLost(kernel.tellsPods());
        } else {
            db.crash();
        }
        callers.crashed();
        losses.hear(events);
        losses.restart();
        engine = boot();
        engine.start();
    }

    private void check() {
        requireEqual(undrained, List.of(), "nothing is left of a factory that is told as drained");
        List<Lease> rows = db.contents().leases();
        List<ResourceId> leased = rows.stream().map(row -> row.resource().id()).toList();
        require(
                new HashSet<>(leased).size() == leased.size(),
                "an address has one owner",
                "no address twice",
                () -> leased);
        callers.look();
        if (db.contents().node().isPresent()) {
            callers.check(rows);
        } else {
            require(
                    engine.status().phase() != EngineStatus.Phase.READY,
                    "nothing is served on a lost database before its leases are rebuilt",
                    "the engine is not ready",
                    () -> engine.status());
        }
        PoolView pool = engine.pool();
        if (engine.status().phase() == EngineStatus.Phase.READY) {
            checkSize(pool);
        }
        Set<String> left = engine.factories().stream()
                .filter(view -> view.role() == FactoryView.Role.LEAVING)
                .map(FactoryView::name)
                .collect(Collectors.toSet());
        requireNone(
                pool,
                entry -> entry.state() == ResourceState.IDLE
                        && left.contains(entry.resource().factory()),
                "nothing of a leaving factory is idle");
        List<OwnerKey> owners =
                pool.entries().stream().flatMap(entry -> entry.owner().stream()).toList();
        require(
                new HashSet<>(owners).size() == owners.size(),
                "an owner has one address",
                "no owner twice",
                () -> owners);
    }

    private void checkSize(PoolView pool) {
        // what was out there at a start is out there: then the pool may only shrink towards its bound
        losses.hear(events);
        int total = losses.left(pool) + pool.summary().count(ResourceState.CREATING);
        // and what the cloud gives back to a pod, or turns out to be a pod's, is the pod's, full or not
        int changes = losses.changes();
        require(
                changes != changesSeen || total <= Math.max(CAPACITY, totalSeen),
                "capacity bounds all states",
                "at most " + Math.max(CAPACITY, totalSeen),
                () -> total + ": " + pool.entries());
        requireNone(
                pool,
                entry -> !losses.isLost(entry.resource())
                        && !entry.resource()
                                .id()
                                .value()
                                .startsWith(entry.resource().factory()),
                "what is in the pool, and not lost, is its maker's");
        totalSeen = total;
        changesSeen = changes;
    }

    private static void requireNone(PoolView pool, Predicate<PoolView.Entry> bad, String invariant) {
        List<PoolView.Entry> found = pool.entries().stream().filter(bad).toList();
        require(found.isEmpty(), invariant, "none", () -> found);
    }

    private void checkLosses() {
        losses.hear(events);
        PoolView pool = engine.pool();
        losses.isWhatThePoolSays(pool);
        // a comparison and a switch are put in their order by their dates
        if (!clockWasSet && engine.factories().size() == 1) {
            engine.status()
                    .lastReconcile()
                    .filter(report -> report.startedAt().isAfter(activeSince))
                    .ifPresent(report -> outside.isKnownAfter(report, active, pool));
        }
        outside.saw(pool);
    }

    /** Faults end, pods go, time passes: then nothing may be left over anywhere. */
    void end() {
        draws.during(0);
        calm = true;
        engine.reconfigure(config(1, 2, CAPACITY));
        db.broken(false);
        factories.values().forEach(factory -> factory.down(false));
        pods.down(false);
        kernel.failSetUp(false);
        kernel.failTearDown(false);
        kernel.failList(false);
        for (int i = 0; i <= Value.POD.most(); i++) {
            pods.remove("default/p" + i);
        }
        pass(REST);
        callers.settle(engine);
        check();
        checkLosses();
        checkNothingIsLeft();
        checkStoriesHaveEnded();
    }

    private void checkNothingIsLeft() {
        PoolView pool = engine.pool();
        PoolSummary summary = pool.summary();
        requireEqual(engine.status().phase(), EngineStatus.Phase.READY, "the engine is ready in the end");
        requireEqual(db.contents().leases(), List.of(), "no lease is left in the end");
        requireEqual(db.contents().intents(), List.of(), "no intent is left in the end");
        requireEqual(db.contents().holds(), List.of(), "no hold is left in the end");
        requireEqual(db.contents().node().isPresent(), true, "the database is settled in the end");
        requireEqual(kernel.connected().keySet(), Set.of(), "no pod is connected in the end");
        requireEqual(summary.waiting(), 0, "nobody waits in the end");
        requireEqual(summary.count(ResourceState.CREATING), 0, "nothing is being created in the end");
        requireNone(pool, entry -> entry.state() != ResourceState.IDLE, "all is idle in the end");
        int idle = summary.count(ResourceState.IDLE);
        require(idle >= 1 && idle <= 3, "as much is idle in the end as the watermarks say", "1 to 3", () -> idle);
        requireEqual(leaving, Set.of(), "no factory leaves in the end");
        requireEqual(
                engine.factories().stream().map(FactoryView::name).toList(),
                List.of(active),
                "the active factory is the only one in the end");
        factories.forEach((name, factory) -> requireEqual(
                pool.entries().stream()
                        .filter(entry -> entry.resource().factory().equals(name))
                        .map(entry -> entry.resource().id())
                        .collect(Collectors.toCollection(TreeSet::new)),
                factory.contents().stream()
                        .filter(made -> name.equals(active) || !outside.meddledWith(name, made))
                        .map(Resource::id)
                        .collect(Collectors.toCollection(TreeSet::new)),
                "the pool has what each factory has in the end"));
    }

    /** Every sandbox's operation ends when its caller is answered, and all that is undone after that ends too. */
    private void checkStoriesHaveEnded() {
        for (TraceSnapshot story : traces.all()) {
            if (story.subject().owner().isPresent()) {
                require(
                        !story.outcome().equals(TraceSnapshot.RUNNING)
                                && story.steps().stream()
                                        .noneMatch(step -> step.outcome().equals(TraceSnapshot.RUNNING)),
                        "every operation of a sandbox has ended in the end",
                        "none that is " + TraceSnapshot.RUNNING,
                        () -> story);
            }
        }
    }

    /** What was answered and what the engine told since this was asked last, and what the pool has now. */
    List<String> news() {
        List<String> news = new ArrayList<>(heard);
        heard.clear();
        List<Event> since = events.behind(told);
        since.forEach(event -> news.add(event.type() + ": " + event.message()));
        told += since.size();
        news.add("pool: " + describe(engine.poolSummary()));
        return news;
    }

    private static String describe(PoolSummary pool) {
        String counts = pool.counts().entrySet().stream()
                .filter(count -> count.getValue() > 0)
                .map(count -> count.getValue() + " "
                        + count.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .collect(Collectors.joining(", "));
        return (counts.isEmpty() ? "empty" : counts) + (pool.waiting() > 0 ? "; " + pool.waiting() + " wait" : "");
    }
}

package io.enipam.lab.replay;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.SharedAccount;
import io.enipam.emulator.cloud.VSwitch.VSwitchSpec;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.engine.concurrent.Stages;
import io.enipam.lab.replay.NodeReplay.Environment;
import io.enipam.lab.replay.NodeReplay.Figures;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceGenerator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Traces, replayed with one policy. The engines, their pools, the ENI factories with their clients of the cloud, and the policy are those
 * that ship; time, database, kernel and API server are in memory, and the cloud is the emulator's in this process. A node
 * runs one step at a time in virtual time, so that traces, configuration and seed alone decide the result.
 *
 * <p>Each node has a virtual time of its own, and a part of the cloud: its ENIs. So a node's work does not grow with the number of the
 * others. What the nodes share is the account's flow control and the vSwitches' addresses, which calls meet in the order of their times;
 * of two nodes at one time, the one with the lower number comes first. Beside that nodes run on all cores ({@link FleetScheduler}).
 *
 * <p>Disk, kernel and API server take no time here: a pod waits for an address, or it does not wait.
 */
public final class Replay {
    /** From the start of the last node to the beginning of the trace, at least; then the next full minute begins it. */
    static final Duration WARM_UP = Duration.ofMinutes(2);
    /** Between the starts of two nodes. */
    static final Duration STAGGER = Duration.ofMillis(100);

    private static final Duration LONGEST_START = Duration.ofMinutes(30);
    private static final long STEP = Duration.ofMinutes(1).toNanos();
    private static final long START_STEP = Duration.ofSeconds(1).toNanos();
    /** A node's start takes about as much work as ten minutes of a node without pods. */
    private static final double START_SECONDS = 600;

    private final Fleet fleet;
    private final CloudProfile profile;
    private final DaemonConfig config;
    private final FleetScheduler scheduler;
    private final SharedAccount shared = SharedAccount.of(ThrottleLimits.none());
    private final List<NodeReplay> nodes = new ArrayList<>();
    private final List<String> zones;
    private final Scenario scenario;
    private long now;

    /** Told now and then how far a replay is, by the thread that computes it. */
    @FunctionalInterface
    public interface Progress {
        /** So much of the trace is replayed, 0 to 1. */
        void replayed(double part);

        /**
         * The trace has not begun yet.
         *
         * @param started how many nodes have started
         * @param part of the work until the trace begins, 0 to 1
         */
        default void starting(int started, int nodes, double part) {}
    }

    private Replay(Fleet fleet, CloudProfile profile, PolicyChoice choice, PolicyCatalog policies, long seed) {
        this.fleet = fleet;
        this.profile = profile;
        this.config = profile.config(policies.known());
        this.scheduler =
                new FleetScheduler(Math.min(fleet.nodes(), Runtime.getRuntime().availableProcessors()));
        this.zones = config.enis().vswitches().keySet().stream().sorted().toList();
        String named = config.get(Schema.FACTORY);
        EniUse use = Arrays.stream(EniUse.values())
                .filter(one -> one.factory().equals(named))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("pool.factory is '" + named
                        + "', and a replay knows those of the cloud alone: eni-ip and eni"));
        Environment environment = new Environment(
                config,
                profile.engine(policies.known()),
                use,
                choice,
                policies,
                scheduler,
                new InProcessCloud.AnswerReader(),
                shared);
        this.scenario = new Scenario(fleet, zones, shared, profile.throttle(), nodes, scheduler::changed);
        EmulatorConfig site = config.emulator(Path.of(""), "replay");
        List<EmulatorConfig> byZone =
                zones.stream().map(zone -> inZone(site, zone)).toList();
        for (int i = 0; i < fleet.nodes(); i++) {
            EmulatorConfig own = byZone.get(i % zones.size()).withSeed(TraceGenerator.seed(seed, i));
            NodeReplay node = new NodeReplay(environment, scenario::come, i, fleet.arrivals(i, seed), own);
            profile.errors()
                    .forEach((api, percent) -> node.cloud()
                            .control()
                            .faults()
                            .add(FaultRule.on(api).percent(percent).fail("InternalError")));
            nodes.add(node);
        }
    }

    /** The site as a node of the zone has it; a vSwitch that is in no zone of the configuration is in the node's. */
    private EmulatorConfig inZone(EmulatorConfig site, String zone) {
        Map<String, String> placed = new LinkedHashMap<>();
        Map<String, List<String>> byZone = config.enis().vswitches();
        site.site().vswitches().forEach((key, cidr) -> {
            String id = VSwitchSpec.parse(key, cidr).id();
            String home = byZone.entrySet().stream()
                    .filter(entry -> entry.getValue().contains(id))
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(zone);
            placed.put(id + "@" + home, cidr);
        });
        return site.withSite(new EmulatorConfig.Site(
                site.site().region(), List.of(zone), site.site().instanceTypes(), placed));
    }

    /**
     * Replays a trace on one node. Blocks for as long as it takes to compute.
     *
     * @param goOn asked now and then; once it says no, the replay ends
     * @return empty if it did not go on to the end
     * @throws IllegalArgumentException if the policy cannot be opened, or the cloud not be made
     * @throws io.enipam.config.ConfigException if the configuration is wrong
     */
    public static Optional<ReplayResult> run(
            Trace trace,
            CloudProfile profile,
            PolicyChoice choice,
            PolicyCatalog policies,
            long seed,
            Progress progress,
            BooleanSupplier goOn) {
        return run(Fleet.of(trace), profile, choice, policies, seed, progress, goOn)
                .map(FleetResult::total);
    }

    /** The same of a fleet. Throws IllegalArgumentException also if an event names a zone that there is not. */
    public static Optional<FleetResult> run(
            Fleet fleet,
            CloudProfile profile,
            PolicyChoice choice,
            PolicyCatalog policies,
            long seed,
            Progress progress,
            BooleanSupplier goOn) {
        Replay replay = new Replay(fleet, profile, choice, policies, seed);
        try {
            return replay.run(progress, goOn) ? Optional.of(replay.result(choice, seed)) : Optional.empty();
        } finally {
            replay.nodes.forEach(NodeReplay::close);
            replay.scheduler.close();
        }
    }

    private boolean run(Progress progress, BooleanSupplier goOn) {
        if (!start(progress, goOn)) {
            return false;
        }
        long origin = now;
        shared.windows().limit(profile.throttle());
        nodes.forEach(node -> node.begin(origin));
        long length = fleet.length().toNanos();
        for (long at = 0; at < length; at = Math.min(at + STEP, length)) {
            if (!goOn.getAsBoolean()) {
                return false;
            }
            progress.replayed((double) at / length);
            long until = Math.min(at + STEP, length);
            for (long next = scenario.next(); next <= until && next < length; next = scenario.next()) {
                advance(origin + next);
                scenario.run(now);
            }
            advance(origin + until);
        }
        nodes.forEach(node -> node.end(now));
        progress.replayed(1);
        return true;
    }

    /** Starts the nodes, one after another, and lets them warm up. */
    private boolean start(Progress progress, BooleanSupplier goOn) {
        List<CompletableFuture<Void>> started = new ArrayList<>();
        nodes.forEach(node -> started.add(node.start(STAGGER.multipliedBy(node.number()))));
        long until = STAGGER.multipliedBy(nodes.size()).plus(LONGEST_START).toNanos();
        boolean warm = false;
        double ran = 0;
        double all = nodes.size()
                * (START_SECONDS
                        + nodes.size() * STAGGER.toMillis() / 2000.0
                        + WARM_UP.plusSeconds(30).toSeconds());
        while (now < until) {
            if (!goOn.getAsBoolean()) {
                return false;
            }
            advance(now + START_STEP);
            int done = (int) started.stream().filter(CompletableFuture::isDone).count();
            ran += done;
            progress.starting(done, nodes.size(), Math.min(1, (done * START_SECONDS + ran) / all));
            if (done == nodes.size() && !warm) {
                throwIfFailed(started);
                warm = true;
                until = now + WARM_UP.toNanos();
                until += STEP - Math.floorMod(until, STEP);
            }
        }
        throwIfFailed(started);
        return true;
    }

    private static void throwIfFailed(List<CompletableFuture<Void>> started) {
        for (CompletableFuture<Void> one : started) {
            if (!one.isDone()) {
                throw new IllegalArgumentException("the node does not start within " + LONGEST_START.toMinutes()
                        + " min of its time; does the cloud of the profile let any call through?");
            }
            try {
                one.join();
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        "the node does not start: " + Stages.cause(e).getMessage(), Stages.cause(e));
            }
        }
    }

    /** Runs all tasks up to a moment, each at its own time. */
    private void advance(long until) {
        for (long moves = scenario.nextMove(); moves <= until; moves = scenario.nextMove()) {
            // the node that such a pod moves to must not be ahead of it
            scheduler.advance(moves - 1);
            scheduler.advanceInOrder(moves);
        }
        scheduler.advance(until);
        now = until;
    }

    private FleetResult result(PolicyChoice choice, long seed) {
        Map<String, Long> calls = new TreeMap<>();
        Map<String, Long> failures = new TreeMap<>();
        long throttled = 0;
        long exhausted = 0;
        long pods = 0;
        double idle = 0;
        double held = 0;
        int most = 0;
        List<Figures> all = nodes.stream().map(NodeReplay::figures).toList();
        for (Figures one : all) {
            one.cloud().calls().forEach((api, count) -> calls.merge(api, count, Long::sum));
            one.failures().forEach((code, count) -> failures.merge(code, count, Long::sum));
            throttled += one.cloud().throttled();
            exhausted += one.exhausted();
            pods += one.waits().pods();
            idle += one.addresses().idleHours();
            held += one.addresses().heldHours();
            most += one.addresses().mostHeld();
        }
        long[] waits = nodes.stream()
                .map(NodeReplay::waits)
                .flatMapToLong(Arrays::stream)
                .toArray();
        Comparator<Figures> better = Comparator.comparingLong(
                        (Figures one) -> one.waits().pods() - one.waits().served())
                .thenComparingLong(one -> one.waits().p99Millis());
        int worst = 0;
        for (int i = 1; i < all.size(); i++) {
            worst = better.compare(all.get(i), all.get(worst)) > 0 ? i : worst;
        }
        Figures bad = all.get(worst);
        return new FleetResult(
                new ReplayResult(
                        choice.text(),
                        seed,
                        ReplayResult.Waits.of(pods, waits),
                        new ReplayResult.Cloud(calls, throttled),
                        new ReplayResult.Addresses(idle, held, most),
                        failures),
                nodes.size(),
                worst,
                new ReplayResult(choice.text(), seed, bad.waits(), bad.cloud(), bad.addresses(), bad.failures()),
                exhausted);
    }
}

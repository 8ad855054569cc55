package io.enipam.diagnostics.doctor;

import io.enipam.aliyun.CloudProbe;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolView;
import io.enipam.observability.history.Sample;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The pool: whether ADDs get addresses, how full it is, its idle addresses and its watermarks. */
public final class PoolChecks {
    private static final Duration LONG_WAIT = Duration.ofSeconds(10);

    private PoolChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "add-failures",
                        "Pods do not get their network",
                        Severity.CRITICAL,
                        "The CNI ADDs of the last ten minutes. WARN if three or more failed and they are a tenth of"
                                + " all, CRITICAL if five or more failed and none worked, or if for a minute none"
                                + " has: the node is not ready then.",
                        "Each is a pod that does not start until the runtime tries again.",
                        "events; trace POD tells the story of one; the codes tell the cause: POOL_EXHAUSTED,"
                                + " CLOUD_FAILED, STORE_FAILED ...",
                        PoolChecks::addFailures),
                new Check(
                        "pool-drained",
                        "The pool was told to give back what is idle",
                        Severity.INFO,
                        "The order that 'pool drain' gave. INFO as long as it is in force: it has no end of its own.",
                        "Nothing is kept in stock, whatever the watermarks say: each pod waits for the cloud.",
                        "pool drain --undo",
                        PoolChecks::poolDrained),
                new Check(
                        "pool-exhausted",
                        "No address is left and no more can be made",
                        Severity.CRITICAL,
                        "The pool. CRITICAL if callers wait, none is idle and the pool is at its capacity; WARN if it is there and no caller waits yet. What cools down or is reserved is named: it comes back.",
                        "The next pod on this node stays without network.",
                        "pod list; move pods to another node, or allow more: 'config show' names pool.capacity and"
                                + " max_eni; gc run if pods are gone",
                        PoolChecks::poolExhausted),
                new Check(
                        "pool-starving",
                        "Callers wait long for addresses",
                        Severity.CRITICAL,
                        "The queue of the pool. WARN if a caller has waited for ten seconds, or at each look of 30 s,"
                                + " every two seconds, a caller waited; CRITICAL after two minutes of that.",
                        "Pods start slowly or not at all: the cloud gives addresses more slowly than pods come.",
                        "pool show; ecs calls --failed; raise pool.min_idle to keep more in stock",
                        PoolChecks::poolStarving),
                new Check(
                        "stock-low",
                        "Fewer addresses are idle than wanted",
                        Severity.WARN,
                        "The idle addresses, looked at every two seconds. WARN if at each look for five minutes there"
                                + " were fewer than the lower watermark wants, and the pool was not drained.",
                        "A burst of pods finds no stock, and each has to wait for the cloud.",
                        "ecs calls --failed; pool show",
                        PoolChecks::stockLow),
                new Check(
                        "supply-failing",
                        "Nothing can be made",
                        Severity.WARN,
                        "The last tries to make an address or an ENI. WARN if three in a row failed.",
                        "Pods start as long as idle addresses last.",
                        "ecs calls --failed; events; vswitch-low, api-throttled and cloud-refuses tell the usual"
                                + " causes",
                        PoolChecks::supplyFailing),
                new Check(
                        "watermarks-unmet",
                        "The watermarks cannot be met",
                        Severity.CRITICAL,
                        "Configuration and capacity. WARN if pool.min_idle is above what the node can ever have,"
                                + " CRITICAL if the node can have nothing at all. An upper watermark above it is met"
                                + " by any stock.",
                        "The wanted stock will never be there.",
                        "config show | grep pool; lower pool.min_idle, or use a larger instance type",
                        PoolChecks::watermarksUnmet),
                new Check(
                        "disposal-failing",
                        "An address cannot be given back",
                        Severity.WARN,
                        "Resources on their way back to the cloud. WARN if three tries in a row failed for one.",
                        "It holds its place in the pool and on the ENI.",
                        "ecs calls --failed; eni list",
                        PoolChecks::disposalFailing),
                new Check(
                        "capacity-reduced",
                        "The node may have fewer addresses than its type allows",
                        Severity.INFO,
                        "Instance type and configuration. INFO if max_eni, eni_cap_ratio, eni_cap_shift or"
                                + " pool.capacity leave less than the instance type allows.",
                        "It may be meant so; if not, pods find no room on a node that would have some.",
                        "config show | grep 'eni|capacity'",
                        PoolChecks::capacityReduced));
    }

    private static Outcome addFailures(Facts facts) {
        Map<String, Long> codes = new TreeMap<>();
        long done = 0;
        for (Sample sample : facts.the(RecentSamples.class).samples()) {
            if (sample.at().isAfter(facts.now().minus(Duration.ofMinutes(10)))) {
                done += sample.counts().add().done();
                sample.counts().add().failures().forEach((code, count) -> codes.merge(code, count, Long::sum));
            }
        }
        long failed = codes.values().stream().mapToLong(Long::longValue).sum();
        String figures = failed + " of the last " + (done + failed) + " ADDs failed";
        if (failed < 3 || failed * 10 < done + failed) {
            return Outcome.ok(figures);
        }
        List<Evidence> evidence = codes.entrySet().stream()
                .map(code -> new Evidence(code.getKey(), Figures.count(code.getValue(), "ADD"), "history"))
                .toList();
        Optional<String> refused = facts.the(AddReadiness.Result.class).of(AddReadiness.Requirement.ADDS);
        return Outcome.of(
                refused.isPresent() || (done == 0 && failed >= 5) ? Severity.CRITICAL : Severity.WARN,
                refused.orElse(figures),
                evidence);
    }

    private static Outcome poolDrained(Facts facts) {
        PoolOverride told = facts.the(PoolOverride.class);
        if (!told.drained()) {
            return Outcome.ok("the pool was not told to empty itself");
        }
        Instant since = told.order().since();
        return Outcome.of(
                Severity.INFO,
                "drained for " + Figures.span(Duration.between(since, facts.now()))
                        + ", until 'pool drain --undo': nothing is kept in stock",
                new Evidence(
                        "pool",
                        "drained until it is ended; told by " + (told.by().isEmpty() ? "an unknown caller" : told.by()),
                        "order",
                        since));
    }

    private static Outcome poolExhausted(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        PoolView pool = engine.pool();
        if (!engine.serves() || pool.capacity() == 0) {
            return Outcome.skipped(
                    engine.serves()
                            ? "the pool has no capacity; see watermarks-unmet"
                            : "the engine does not serve yet");
        }
        int idle = pool.count(ResourceState.IDLE);
        int held = pool.entries().size() + pool.creating();
        if (idle > 0 || held < pool.capacity()) {
            return Outcome.ok(idle + " idle, " + Math.max(0, pool.capacity() - held) + " more could be made");
        }
        int coming = pool.count(ResourceState.COOLING) + pool.count(ResourceState.RESERVED);
        Evidence full = new Evidence(
                "pool",
                "capacity " + pool.capacity() + ": " + pool.count(ResourceState.IN_USE) + " in use, " + coming
                        + " cooling or reserved, " + pool.creating() + " being made, "
                        + pool.count(ResourceState.DISPOSING)
                        + " going, " + pool.count(ResourceState.INVALID) + " invalid",
                "pool");
        return pool.waiting() > 0
                ? Outcome.of(
                        Severity.CRITICAL,
                        Figures.count(pool.waiting(), "caller") + " wait, and all " + pool.capacity()
                                + " addresses are taken",
                        full)
                : Outcome.of(Severity.WARN, "all " + pool.capacity() + " addresses are taken", full);
    }

    private static Outcome poolStarving(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        List<Evidence> waiting = engine.agenda().queue().stream()
                .filter(caller -> caller.since().plus(LONG_WAIT).isBefore(facts.now()))
                .map(caller ->
                        new Evidence(String.valueOf(caller.pod()), "waits for an address", "pool", caller.since()))
                .toList();
        Optional<Instant> since = facts.the(Observations.class).waitingSince();
        Duration always =
                since.map(begun -> Duration.between(begun, facts.now())).orElse(Duration.ZERO);
        if (waiting.isEmpty() && always.compareTo(Duration.ofSeconds(30)) < 0) {
            return Outcome.ok("no caller waits for long");
        }
        List<Evidence> evidence = new ArrayList<>(waiting);
        if (since.isPresent()) {
            evidence.add(new Evidence("pool", "a caller waited at every look", "pool", since));
        }
        engine.agenda()
                .createTrouble()
                .ifPresent(trouble -> evidence.add(
                        new Evidence("factory", "made nothing: " + trouble.message(), "engine", trouble.at())));
        return Outcome.of(
                always.compareTo(Duration.ofMinutes(2)) < 0 ? Severity.WARN : Severity.CRITICAL,
                waiting.isEmpty()
                        ? "a caller has waited at every look for " + Figures.span(always)
                        : Figures.count(waiting.size(), "caller") + " waiting for more than " + Figures.span(LONG_WAIT),
                evidence);
    }

    private static Outcome stockLow(Facts facts) {
        if (facts.ifThere(PoolOverride.class).filter(PoolOverride::drained).isPresent()) {
            return Outcome.ok("none is wanted: the pool is drained; see pool-drained");
        }
        EngineState engine = facts.the(EngineState.class);
        Optional<Instant> since = facts.the(Observations.class).belowSince();
        Duration below =
                since.map(begun -> Duration.between(begun, facts.now())).orElse(Duration.ZERO);
        PoolView pool = engine.pool();
        String figures = pool.count(ResourceState.IDLE) + " idle, at least " + pool.minIdle() + " wanted";
        return below.compareTo(Duration.ofMinutes(5)) < 0
                ? Outcome.ok(figures)
                : Outcome.of(
                        Severity.WARN,
                        figures + ", for " + Figures.span(below),
                        new Evidence("pool", figures, "pool", since));
    }

    private static Outcome supplyFailing(Facts facts) {
        return facts.the(EngineState.class)
                .agenda()
                .createTrouble()
                .filter(trouble -> trouble.failures() >= 3)
                .map(trouble -> Outcome.of(
                        Severity.WARN,
                        trouble.failures() + " tries in a row to make an address failed",
                        new Evidence("factory", trouble.kind() + ": " + trouble.message(), "engine", trouble.at())))
                .orElseGet(() -> Outcome.ok("what is asked for is made"));
    }

    private static Outcome watermarksUnmet(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        if (!engine.serves()) {
            return Outcome.skipped("the engine does not serve yet");
        }
        int capacity = engine.pool().capacity();
        if (capacity == 0) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "this node can have no address at all",
                    new Evidence("pool", "its capacity is 0", "pool"));
        }
        int wanted = engine.config().minIdle();
        return wanted > capacity
                ? Outcome.of(
                        Severity.WARN,
                        "more is wanted idle than the " + capacity + " addresses this node can have",
                        new Evidence("pool.min_idle", wanted + " is wanted, " + capacity + " is in force", "config"))
                : Outcome.ok(
                        "the node can have " + capacity + " addresses, and at least " + wanted + " are wanted idle");
    }

    private static Outcome disposalFailing(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        facts.the(EngineState.class).agenda().disposals().forEach((id, setback) -> {
            if (setback.failures() >= 3) {
                evidence.add(new Evidence(
                        id.value(),
                        setback.failures() + " tries failed: " + setback.message(),
                        "engine",
                        setback.at()));
            }
        });
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Figures.count(evidence.size(), "resource") + " that cannot be given back",
                "what goes back goes");
    }

    private static Outcome capacityReduced(Facts facts) {
        CloudProbe.Limits limits = facts.the(CloudProbe.Limits.class);
        int bound = facts.the(EngineState.class).config().maxCapacity();
        int possible = limits.typeEnis() * limits.ipv4PerEni();
        List<Evidence> evidence = new ArrayList<>();
        if (limits.maxEnis() < limits.typeEnis()) {
            evidence.add(new Evidence(
                    "ENIs",
                    limits.maxEnis() + " in force, " + limits.instanceType() + " allows " + limits.typeEnis()
                            + " beside the primary one",
                    "config"));
        }
        if (bound < possible) {
            evidence.add(new Evidence(
                    "pool.capacity", bound + ", " + limits.instanceType() + " allows " + possible, "config"));
        }
        return Outcome.unless(
                evidence,
                Severity.INFO,
                "the configuration leaves less than " + limits.instanceType() + " allows",
                limits.instanceType() + " allows " + possible + " addresses, and nothing holds them back");
    }

    /**
     * The engine and its pool.
     *
     * @param agenda what is under way, who waits, and what failed
     * @param podsKnown whether the API server knows which pods there are
     */
    public record EngineState(
            EngineStatus status,
            PoolView pool,
            EngineConfig config,
            PendingWork agenda,
            List<FactoryView> factories,
            boolean podsKnown) {
        public EngineState {
            factories = List.copyOf(factories);
        }

        /** Whether it serves: only then do its pool and its database have to agree with anything. */
        public boolean serves() {
            return status.phase() == EngineStatus.Phase.READY;
        }
    }

    /**
     * The capacity override in force.
     *
     * @param by who set it; empty text if that is not known
     */
    public record PoolOverride(CapacityOverride order, String by) {
        public boolean drained() {
            return order.kind() == CapacityOverride.Kind.DRAINED;
        }
    }

    /** How the daemon fared lately, oldest first. */
    public record RecentSamples(List<Sample> samples) {
        public RecentSamples {
            samples = List.copyOf(samples);
        }
    }
}

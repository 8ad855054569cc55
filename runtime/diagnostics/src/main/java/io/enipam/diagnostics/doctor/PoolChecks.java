package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.ok;
import static io.enipam.diagnostics.doctor.Outcome.skipped;
import static io.enipam.diagnostics.doctor.Outcome.unless;

import io.enipam.aliyun.CloudProbe;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.observability.history.Sample;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ledger.HeldGrant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

/** The pool and its leases: whether ADDs get addresses, idle addresses, watermarks, and garbage collection. */
public final class PoolChecks {
    private static final Duration LONG_WAIT = Duration.ofSeconds(10);
    private static final String NOT_SERVING = "the engine does not serve yet";
    private static final String COLLECTION = "garbage collection";
    /** A collection asks for each pod that seems gone, which may take a while. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    static final List<Check> ALL = List.of(
            Check.of("add-failures", CRITICAL, "Pods do not get their network")
                    .reads("The CNI ADDs of the last ten minutes. WARN if three or more failed and they are a tenth of"
                            + " all, CRITICAL if five or more failed and none worked, or if for a minute none has: the"
                            + " node is not ready then.")
                    .because("Each is a pod that does not start until the runtime tries again.")
                    .advice("events; trace POD tells the story of one; the codes tell the cause: POOL_EXHAUSTED,"
                            + " CLOUD_FAILED, STORE_FAILED ...")
                    .by(PoolChecks::addFailures),
            Check.of("pool-drained", INFO, "The pool was told to give back what is idle")
                    .reads("The order that 'pool drain' gave. INFO as long as it is in force: it has no end of its"
                            + " own.")
                    .because("Nothing is kept in stock, whatever the watermarks say: each pod waits for the cloud.")
                    .advice("pool drain --undo")
                    .by(PoolChecks::poolDrained),
            Check.of("pool-exhausted", CRITICAL, "No address is left and no more can be made")
                    .reads("The pool. CRITICAL if callers wait, none is idle and the pool is at its capacity; WARN if"
                            + " it is there and no caller waits yet. What cools down or is reserved is named: it comes"
                            + " back.")
                    .because("The next pod on this node stays without network.")
                    .advice("pod list; move pods to another node, or allow more: 'config show' names pool.capacity and"
                            + " max_eni; gc run if pods are gone")
                    .by(PoolChecks::poolExhausted),
            Check.of("pool-starving", CRITICAL, "Callers wait long for addresses")
                    .reads("The queue of the pool. WARN if a caller has waited for ten seconds, or at each look of 30"
                            + " s, every two seconds, a caller waited; CRITICAL after two minutes of that.")
                    .because("Pods start slowly or not at all: the cloud gives addresses more slowly than pods come.")
                    .advice("pool show; ecs calls --failed; raise pool.min_idle to keep more in stock")
                    .by(PoolChecks::poolStarving),
            Check.of("stock-low", WARN, "Fewer addresses are idle than wanted")
                    .reads("The idle addresses, looked at every two seconds. WARN if at each look for five minutes"
                            + " there were fewer than the lower watermark wants, and the pool was not drained.")
                    .because("A burst of pods finds no stock, and each has to wait for the cloud.")
                    .advice("ecs calls --failed; pool show")
                    .by(PoolChecks::stockLow),
            Check.of("supply-failing", CRITICAL, "Nothing can be made")
                    .reads("The last tries to make an address or an ENI. CRITICAL if nothing is idle, and none can be"
                            + " made; WARN if less than wanted is idle, or three tries in a row failed.")
                    .because("Pods start as long as idle addresses last.")
                    .advice("ecs calls --failed; events; vswitch-low, api-throttled and cloud-refuses tell the usual"
                            + " causes")
                    .by(PoolChecks::supplyFailing),
            Check.of("watermarks-unmet", CRITICAL, "The watermarks cannot be met")
                    .reads("Configuration and capacity. WARN if pool.min_idle is above what the node can ever have,"
                            + " CRITICAL if the node can have nothing at all. An upper watermark above it is met by any"
                            + " stock.")
                    .because("The wanted stock will never be there.")
                    .advice("config show | grep pool; lower pool.min_idle, or use a larger instance type")
                    .by(PoolChecks::watermarksUnmet),
            Check.of("disposal-failing", WARN, "An address cannot be given back")
                    .reads("Resources on their way back to the cloud. WARN if three tries in a row failed for one.")
                    .because("It holds its place in the pool and on the ENI.")
                    .advice("ecs calls --failed; eni list")
                    .by(PoolChecks::disposalFailing),
            Check.of("capacity-reduced", INFO, "The node may have fewer addresses than its type allows")
                    .reads("Instance type and configuration. INFO if max_eni, eni_cap_ratio, eni_cap_shift or"
                            + " pool.capacity leave less than the instance type allows.")
                    .because("It may be meant so; if not, pods find no room on a node that would have some.")
                    .advice("config show | grep 'eni|capacity'")
                    .by(PoolChecks::capacityReduced),
            Check.of("gc-late", WARN, "Garbage collection is behind")
                    .reads("The last collection. WARN if none has ended for three intervals of gc.interval, or the last"
                            + " one could not judge a lease.")
                    .because("Addresses of pods that are gone come back by the collection alone when a DEL is lost.")
                    .advice("gc run; gc status")
                    .repairedBy(Repair.GC)
                    .by(PoolChecks::garbageCollectionLate),
            Check.of("gc-unconfirmed", WARN, "The garbage collection cannot find out whether a pod is gone")
                    .reads("A dry run of the garbage collection: what kept it from judging a lease, such as a pod that"
                            + " looks gone and cannot be asked for.")
                    .because("The address stays lent to a pod that is gone, perhaps one that has finished, until it can"
                            + " be asked for.")
                    .advice("gc run; doctor apiserver-unreachable permission-missing")
                    .by(PoolChecks::gcUnconfirmed),
            Check.of("lease-stale", WARN, "A pod is gone and its address is still lent")
                    .reads(
                            "Two dry runs of the garbage collection, a second apart. A lease, or a grant of a plugin, that both would end is a"
                                    + " finding: its pod is gone, has finished, or is another one of the same name. Without a"
                                    + " list of pods nothing is said.")
                    .because("The address is missing for new pods, and the demand it makes has ENIs created that are"
                            + " not needed. Usually a DEL never came, or the collection cannot ask for pods.")
                    .advice("gc run; gc status says why it did not happen by itself")
                    .repairedBy(Repair.GC)
                    .by(PoolChecks::staleLeases));

    private PoolChecks() {}

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
            return ok(figures);
        }
        return found(
                done == 0 && failed >= 5 ? CRITICAL : WARN,
                figures,
                codes.entrySet().stream()
                        .map(code -> new Evidence(code.getKey(), count(code.getValue(), "ADD"), "history"))
                        .toList());
    }

    private static Outcome poolDrained(Facts facts) {
        PoolOverride told = facts.the(PoolOverride.class);
        if (!told.drained()) {
            return ok("the pool was not told to empty itself");
        }
        Instant since = told.order().since();
        String by = "drained until it is ended; told by " + (told.by().isEmpty() ? "an unknown caller" : told.by());
        return found(
                INFO,
                "drained for " + span(Duration.between(since, facts.now()))
                        + ", until 'pool drain --undo': nothing is kept in stock",
                new Evidence("pool", by, "order", since));
    }

    private static Outcome poolExhausted(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        PoolSummary pool = engine.pool().summary();
        if (!engine.serves() || pool.capacity() == 0) {
            return skipped(engine.serves() ? "the pool has no capacity; see watermarks-unmet" : NOT_SERVING);
        }
        int idle = pool.count(ResourceState.IDLE);
        int more = Math.max(0, pool.capacity() - pool.held() - pool.count(ResourceState.CREATING));
        return ok(idle + " idle, " + more + " more could be made");
    }

    private static Outcome poolStarving(Facts facts) {
        PendingWork agenda = facts.the(EngineState.class).agenda();
        List<Evidence> evidence = new ArrayList<>();
        agenda.queue().stream()
                .filter(caller -> caller.since().plus(LONG_WAIT).isBefore(facts.now()))
                .map(caller -> new Evidence(caller.pod().toString(), "waits for an address", "pool", caller.since()))
                .forEach(evidence::add);
        int waiting = evidence.size();
        Optional<Instant> since = facts.the(Observations.class).waitingSince();
        Duration always = lasting(since, facts);
        if (waiting == 0 && always.compareTo(Duration.ofSeconds(30)) < 0) {
            return ok("no caller waits for long");
        }
        since.ifPresent(at -> evidence.add(new Evidence("pool", "a caller waited at every look", "pool", at)));
        agenda.createTrouble()
                .map(last -> new Evidence("factory", "made nothing: " + last.message(), "engine", last.at()))
                .ifPresent(evidence::add);
        return found(
                always.compareTo(Duration.ofMinutes(2)) < 0 ? WARN : CRITICAL,
                waiting == 0
                        ? "a caller has waited at every look for " + span(always)
                        : count(waiting, "caller") + " waiting for more than " + span(LONG_WAIT),
                evidence);
    }

    private static Duration lasting(Optional<Instant> since, Facts facts) {
        return since.map(begun -> Duration.between(begun, facts.now())).orElse(Duration.ZERO);
    }

    private static Outcome stockLow(Facts facts) {
        if (facts.ifThere(PoolOverride.class).filter(PoolOverride::drained).isPresent()) {
            return ok("none is wanted: the pool is drained; see pool-drained");
        }
        Optional<Instant> since = facts.the(Observations.class).belowSince();
        Duration below = lasting(since, facts);
        PoolSummary pool = facts.the(EngineState.class).pool().summary();
        String figures = pool.count(ResourceState.IDLE) + " idle, at least " + pool.minIdle() + " wanted";
        return below.compareTo(Duration.ofMinutes(5)) < 0
                ? ok(figures)
                : found(WARN, figures + ", for " + span(below), new Evidence("pool", figures, "pool", since));
    }

    private static Outcome supplyFailing(Facts facts) {
        return facts.the(EngineState.class)
                .agenda()
                .createTrouble()
                .filter(trouble -> trouble.failures() >= 3)
                .map(trouble -> found(
                        WARN,
                        trouble.failures() + " tries in a row to make an address failed",
                        new Evidence("factory", trouble.kind() + ": " + trouble.message(), "engine", trouble.at())))
                .orElseGet(() -> ok("what is asked for is made"));
    }

    private static Outcome watermarksUnmet(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        if (!engine.serves()) {
            return skipped(NOT_SERVING);
        }
        int capacity = engine.pool().summary().capacity();
        int wanted = engine.config().watermarks().minIdle();
        if (capacity == 0) {
            Evidence none = new Evidence("pool", "its capacity is 0", "pool");
            return found(CRITICAL, "this node can have no address at all", none);
        }
        return wanted > capacity
                ? found(
                        WARN,
                        "more is wanted idle than the " + capacity + " addresses this node can have",
                        new Evidence("pool.min_idle", wanted + " is wanted, " + capacity + " is in force", "config"))
                : ok("the node can have " + capacity + " addresses, and at least " + wanted + " are wanted idle");
    }

    private static Outcome disposalFailing(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        facts.the(EngineState.class).agenda().disposals().forEach((key, setback) -> {
            if (setback.failures() >= 3) {
                String seen = setback.failures() + " tries failed: " + setback.message();
                evidence.add(new Evidence(key.id().value(), seen, "engine", setback.at()));
            }
        });
        return unless(
                evidence,
                WARN,
                count(evidence.size(), "resource") + " that cannot be given back",
                "what goes back goes");
    }

    private static Outcome capacityReduced(Facts facts) {
        CloudProbe.Limits limits = facts.the(CloudProbe.Limits.class);
        String allows = limits.instanceType() + " allows ";
        int bound = facts.the(EngineState.class).config().watermarks().capacity();
        int possible = limits.typeEnis() * limits.ipv4PerEni();
        List<Evidence> evidence = new ArrayList<>();
        if (limits.maxEnis() < limits.typeEnis()) {
            String seen = limits.maxEnis() + " in force, " + allows + limits.typeEnis() + " beside the primary one";
            evidence.add(new Evidence("ENIs", seen, "config"));
        }
        if (bound < possible) {
            evidence.add(new Evidence("pool.capacity", bound + ", " + allows + possible, "config"));
        }
        return unless(
                evidence,
                INFO,
                "the configuration leaves less than " + allows.strip(),
                allows + possible + " addresses, and nothing holds them back");
    }

    private static Outcome garbageCollectionLate(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        Duration interval = engine.config().intervals().gc();
        Optional<GcReport> last = engine.status().lastGc();
        return late(
                        facts,
                        interval,
                        last.map(GcReport::finishedAt),
                        COLLECTION,
                        (ago, due) -> "no garbage collection has ended for " + ago + ", one is due every " + due)
                .orElseGet(() -> each(
                        last.stream()
                                .flatMap(report -> report.problems().stream()
                                        .map(why -> new Evidence("lease", why, COLLECTION, report.finishedAt()))),
                        WARN,
                        n -> "the last garbage collection could not judge " + count(n, "lease"),
                        "one runs every " + span(interval)));
    }

    /** The outcome of a periodic task that has not ended for three intervals; empty if it is on time. */
    static Optional<Outcome> late(
            Facts facts, Duration interval, Optional<Instant> last, String task, BinaryOperator<String> summary) {
        EngineState engine = facts.the(EngineState.class);
        if (!engine.serves()) {
            return Optional.of(skipped(NOT_SERVING));
        }
        Instant ended = last.orElse(engine.status().phaseSince());
        Duration ago = Duration.between(ended, facts.now());
        return ago.compareTo(interval.multipliedBy(3).plus(GRACE)) <= 0
                ? Optional.empty()
                : Optional.of(found(
                        WARN,
                        summary.apply(span(ago), span(interval)),
                        new Evidence(task, last.isPresent() ? "ended last" : "has never ended", "engine", ended)));
    }

    private static Outcome gcUnconfirmed(Facts facts) {
        return each(
                facts.the(GcPreview.class).problems().stream().map(why -> new Evidence(COLLECTION, why, COLLECTION)),
                WARN,
                n -> "the garbage collection cannot judge " + count(n, "lease"),
                "the garbage collection can ask for every pod");
    }

    private static Outcome staleLeases(Facts facts) {
        GcPreview preview = facts.the(GcPreview.class);
        int grants = preview.grants().size();
        String also = grants == 0 ? "" : count(grants, "grant") + " of plugins";
        return each(
                Stream.concat(
                        preview.leases().stream().map(PoolChecks::stale),
                        preview.grants().stream().map(PoolChecks::stale)),
                WARN,
                n -> (n == grants ? also : count(n - grants, "lease") + (grants == 0 ? "" : " and " + also))
                        + " whose pod is gone",
                "every lease has its pod");
    }

    private static Evidence stale(GcReport.ClaimEnd found) {
        HeldGrant held = found.claim().held();
        String what = held.grant().map(grant -> "has " + Claims.text(grant)).orElse("waits");
        String seen = what + " of extension " + found.claim().extension() + ", and " + found.reason();
        return new Evidence(held.owner(), seen, COLLECTION, held.since());
    }

    private static Evidence stale(GcReport.Collected found) {
        Lease lease = found.lease();
        String seen = "has " + lease.resource().id() + ", and " + found.reason();
        return new Evidence(lease.pod().toString(), seen, COLLECTION, lease.since());
    }

    /**
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
        /** Whether it serves: only then do its pool and its database have to agree with anything. */
        boolean serves() {
            return status.phase() == EngineStatus.Phase.READY;
        }
    }

    /**
     * The capacity override in force.
     *
     * @param by who set it; empty text if that is not known
     */
    public record PoolOverride(CapacityOverride order, String by) {
        boolean drained() {
            return order.kind() == CapacityOverride.Kind.DRAINED;
        }
    }

    /** How the daemon fared lately, oldest first. */
    public record RecentSamples(List<Sample> samples) {}

    /**
     * What a garbage collection would take now, and would have taken a moment ago.
     *
     * @param leases confirmed by both looks
     * @param grants of plugins, confirmed by both looks
     * @param problems what kept the collection from judging a lease
     */
    public record GcPreview(List<GcReport.Collected> leases, List<GcReport.ClaimEnd> grants, List<String> problems) {}
}

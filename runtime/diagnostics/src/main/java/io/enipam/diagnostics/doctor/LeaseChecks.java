package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;

/** Garbage collection and the leases whose pods are gone. */
public final class LeaseChecks {
    /** A collection asks for each pod that seems gone, which may take a while. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private LeaseChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                                "gc-late",
                                "Garbage collection is behind",
                                Severity.WARN,
                                "The last collection. WARN if none has ended for three intervals of gc.interval, or"
                                        + " the last one could not judge a lease.",
                                "Addresses of pods that are gone come back by the collection alone when a DEL is lost.",
                                "gc run; gc status",
                                LeaseChecks::garbageCollectionLate)
                        .mendedBy(Repair.GC),
                new Check(
                        "gc-unconfirmed",
                        "The garbage collection cannot find out whether a pod is gone",
                        Severity.WARN,
                        "A dry run of the garbage collection: what kept it from judging a lease, such as a pod that"
                                + " looks gone and cannot be asked for.",
                        "The address stays lent to a pod that is gone, perhaps one that has finished, until it can be asked for.",
                        "gc run; doctor apiserver-unreachable permission-missing",
                        LeaseChecks::gcUnconfirmed),
                new Check(
                                "lease-stale",
                                "A pod is gone and its address is still lent",
                                Severity.WARN,
                                "Two dry runs of the garbage collection, two seconds apart. A lease that both would"
                                        + " end is a finding: its pod is gone, has finished, or is another one of the"
                                        + " same name. Without a list of pods nothing is said.",
                                "The address is missing for new pods, and the demand it makes has ENIs created that are not needed. Usually a DEL never came, or the collection cannot ask for pods.",
                                "gc run; gc status says why it did not happen by itself",
                                LeaseChecks::staleLeases)
                        .mendedBy(Repair.GC));
    }

    private static Outcome garbageCollectionLate(Facts facts) {
        Duration interval = facts.the(EngineState.class).config().gcInterval();
        Optional<GcReport> last = facts.the(EngineState.class).status().lastGc();
        return late(
                        facts,
                        interval,
                        last.map(GcReport::finishedAt),
                        "garbage collection",
                        (ago, due) -> "no garbage collection has ended for " + ago + ", one is due every " + due)
                .orElseGet(() -> Outcome.each(
                        last.stream()
                                .flatMap(report -> report.problems().stream()
                                        .map(problem -> new Evidence(
                                                "lease", problem, "garbage collection", report.finishedAt()))),
                        Severity.WARN,
                        n -> "the last garbage collection could not judge " + Figures.count(n, "lease"),
                        "one runs every " + Figures.span(interval)));
    }

    /** The outcome of a periodic task that has not ended for three intervals; empty if it is on time. */
    static Optional<Outcome> late(
            Facts facts, Duration interval, Optional<Instant> last, String task, BinaryOperator<String> summary) {
        EngineState engine = facts.the(EngineState.class);
        if (!engine.serves()) {
            return Optional.of(Outcome.skipped("the engine does not serve yet"));
        }
        Instant ended = last.orElse(engine.status().phaseSince());
        Duration ago = Duration.between(ended, facts.now());
        return ago.compareTo(interval.multipliedBy(3).plus(GRACE)) <= 0
                ? Optional.empty()
                : Optional.of(Outcome.of(
                        Severity.WARN,
                        summary.apply(Figures.span(ago), Figures.span(interval)),
                        new Evidence(task, last.isPresent() ? "ended last" : "has never ended", "engine", ended)));
    }

    private static Outcome gcUnconfirmed(Facts facts) {
        return Outcome.each(
                facts.the(GcPreview.class).problems().stream()
                        .map(problem -> new Evidence("garbage collection", problem, "garbage collection")),
                Severity.WARN,
                n -> "the garbage collection cannot judge " + Figures.count(n, "lease"),
                "the garbage collection can ask for every pod");
    }

    private static Outcome staleLeases(Facts facts) {
        GcPreview stale = facts.the(GcPreview.class);
        return Outcome.each(
                stale.leases().stream()
                        .map(found -> new Evidence(
                                String.valueOf(found.lease().pod()),
                                "has " + found.lease().resource().id() + ", and " + found.reason(),
                                "garbage collection",
                                found.lease().since())),
                Severity.WARN,
                n -> Figures.count(n, "lease") + " whose pod is gone",
                "every lease has its pod");
    }

    /**
     * What a garbage collection would take now, and would have taken a moment ago.
     *
     * @param leases confirmed by both looks
     * @param problems what kept the collection from judging a lease
     */
    public record GcPreview(List<GcReport.Collected> leases, List<String> problems) {
        public GcPreview {
            leases = List.copyOf(leases);
            problems = List.copyOf(problems);
        }
    }
}

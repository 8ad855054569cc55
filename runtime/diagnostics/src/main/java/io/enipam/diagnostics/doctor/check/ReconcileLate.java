package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The comparison that does not happen. */
final class ReconcileLate implements Check {
    /** The cloud may be slow, and throttle. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static final About ABOUT = new About(
                    "reconcile-late",
                    "The comparison with the cloud is behind",
                    Severity.WARN,
                    "The last comparison of pool and cloud. WARN if none has ended for three intervals of"
                            + " pool.sync_interval, or the last one could not ask for something.",
                    "What the cloud lost is lent on until a comparison finds it: pods get addresses that do"
                            + " not work.",
                    "pool sync; ecs calls --failed")
            .mendedBy(Repair.SYNC);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EngineFacts engine = facts.the(EngineFacts.class);
        if (!engine.serves()) {
            return Outcome.skipped("the engine does not serve yet");
        }
        Duration interval = engine.config().reconcileInterval();
        Optional<ReconcileReport> last = engine.status().lastReconcile();
        Instant ended =
                last.map(ReconcileReport::finishedAt).orElse(engine.status().phaseSince());
        Duration ago = Duration.between(ended, facts.now());
        if (ago.compareTo(interval.multipliedBy(3).plus(GRACE)) > 0) {
            return Outcome.of(
                    Severity.WARN,
                    "pool and cloud were not compared for " + Say.span(ago) + ", that is due every "
                            + Say.span(interval),
                    new Evidence("comparison", last.isPresent() ? "ended last" : "has never ended", "engine", ended));
        }
        List<Evidence> problems = last.stream()
                .flatMap(report -> report.problems().stream()
                        .map(problem -> new Evidence("comparison", problem, "cloud", report.finishedAt())))
                .toList();
        return Outcome.unless(
                problems,
                Severity.WARN,
                "the last comparison of pool and cloud was not complete",
                "they are compared every " + Say.span(interval));
    }
}

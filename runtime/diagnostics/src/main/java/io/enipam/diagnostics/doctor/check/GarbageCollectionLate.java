package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The collection that does not happen. */
final class GarbageCollectionLate implements Check {
    /** A collection asks for each pod that seems gone, which may take a while. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static final About ABOUT = new About(
                    "gc-late",
                    "Garbage collection is behind",
                    Severity.WARN,
                    "The last collection. WARN if none has ended for three intervals of gc.interval, or the"
                            + " last one could not judge a lease.",
                    "Addresses of pods that are gone come back by the collection alone when a DEL is lost.",
                    "gc run; gc status")
            .mendedBy(Repair.GC);

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
        Duration interval = engine.config().gcInterval();
        Duration enough = interval.multipliedBy(3).plus(GRACE);
        Optional<GcReport> last = engine.status().lastGc();
        Instant ended = last.map(GcReport::finishedAt).orElse(engine.status().phaseSince());
        Duration ago = Duration.between(ended, facts.now());
        if (ago.compareTo(enough) > 0) {
            return Outcome.of(
                    Severity.WARN,
                    "no garbage collection has ended for " + Say.span(ago) + ", one is due every " + Say.span(interval),
                    new Evidence(
                            "garbage collection",
                            last.isPresent() ? "ended last" : "has never ended",
                            "engine",
                            ended));
        }
        List<Evidence> problems = last.stream()
                .flatMap(report -> report.problems().stream()
                        .map(problem -> new Evidence("lease", problem, "garbage collection", report.finishedAt())))
                .toList();
        return Outcome.unless(
                problems,
                Severity.WARN,
                "the last garbage collection could not judge " + Say.count(problems.size(), "lease"),
                "one runs every " + Say.span(interval));
    }
}

package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.StartFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Starts in a row. */
final class RestartStorm implements Check {
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final int SOME = 3;
    private static final int MANY = 6;

    private static final About ABOUT = new About(
            "restart-storm",
            "The daemon is started again and again",
            Severity.CRITICAL,
            "The times of the last 50 starts. WARN for three or more within ten minutes, CRITICAL for six.",
            "Something ends it: a probe that is too strict, memory, a crash. Each start keeps pods waiting.",
            "kubectl describe pod of the daemon, or journalctl -u enipamd; loosen the liveness"
                    + " probe if it is that");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Instant since = facts.now().minus(WINDOW);
        List<Instant> recent = facts.the(StartFacts.class).starts().stream()
                .filter(start -> start.isAfter(since))
                .toList();
        if (recent.size() < SOME) {
            return Outcome.ok(Say.count(recent.size(), "start") + " within ten minutes");
        }
        return Outcome.of(
                recent.size() < MANY ? Severity.WARN : Severity.CRITICAL,
                recent.size() + " starts within ten minutes",
                recent.stream()
                        .map(start -> new Evidence("daemon", "started", "host", start))
                        .toList());
    }
}

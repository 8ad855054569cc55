package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.engine.EngineStatus;
import java.time.Duration;

/** An engine that does not serve. */
final class NotServing implements Check {
    private static final Duration A_WHILE = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final About ABOUT = new About(
            "not-serving",
            "The daemon does not serve",
            Severity.CRITICAL,
            "The phase of the engine. WARN while it recovers for more than 30 s, CRITICAL after"
                    + " five minutes, or if it will not serve before somebody mends something.",
            "ADD is answered with \"try again\" until it serves: no pod starts.",
            "status says which step it waits for, and what to do");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EngineStatus status = facts.the(EngineFacts.class).status();
        Duration inPhase = Duration.between(status.phaseSince(), facts.now());
        if (status.trouble().isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    status.trouble().get(),
                    new Evidence("engine", status.phase() + " " + status.detail(), "engine", status.phaseSince()));
        }
        if (status.phase() == EngineStatus.Phase.READY) {
            return Outcome.ok("it has served for " + Say.span(inPhase));
        }
        String words = "it is " + status.phase() + " for " + Say.span(inPhase)
                + (status.detail().isEmpty() ? "" : ": " + status.detail());
        if (inPhase.compareTo(A_WHILE) < 0) {
            return Outcome.of(Severity.INFO, words);
        }
        return Outcome.of(
                inPhase.compareTo(LONG) < 0 ? Severity.WARN : Severity.CRITICAL,
                words,
                new Evidence("engine", String.valueOf(status.phase()), "engine", status.phaseSince()));
    }
}

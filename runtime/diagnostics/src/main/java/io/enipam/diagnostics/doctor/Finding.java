package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Outcome.Severity;
import java.time.Duration;

/** What came of one check in one run. */
public record Finding(Check check, Outcome outcome, Duration took) {
    public Severity severity() {
        return outcome.severity();
    }

    /** Whether an operator may want to do something about it. */
    public boolean wanting() {
        return severity().atLeast(Severity.INFO);
    }

    /** Whether a repair has something to mend: one that could not look, or hangs, has seen nothing. */
    public boolean repairable() {
        return wanting() && check.repair().isPresent() && !outcome.evidence().isEmpty();
    }

    /** What to do about it; empty text if nothing is to be done. */
    public String fix() {
        return wanting() ? outcome.fix().orElse(check.fix()) : "";
    }
}

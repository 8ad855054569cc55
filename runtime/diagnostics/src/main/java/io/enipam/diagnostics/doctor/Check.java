package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Outcome.Severity;
import java.util.Optional;
import java.util.function.Function;

/**
 * One check of the catalogue. Stateless and thread-safe. The texts are for operators; the reference is generated from
 * them.
 *
 * @param id stable, {@code [a-z][a-z0-9-]*}
 * @param title what it finds, in a few words
 * @param worst the most severe result that it can have
 * @param looksAt what it reads, and when it finds something, with the figures
 * @param why why that matters
 * @param fix what to do, beginning with a command where there is one
 * @param repair the operation of the daemon that repairs it safely, if there is one
 * @param look decides from the facts of the run. An exception becomes a finding of its own, a {@link MissingFact} a
 *     skipped one
 */
public record Check(
        String id,
        String title,
        Severity worst,
        String looksAt,
        String why,
        String fix,
        Optional<Repair> repair,
        Function<Facts, Outcome> look) {
    /** A check whose findings no operation of the daemon repairs. */
    public Check(
            String id,
            String title,
            Severity worst,
            String looksAt,
            String why,
            String fix,
            Function<Facts, Outcome> look) {
        this(id, title, worst, looksAt, why, fix, Optional.empty(), look);
    }

    /** The same check, repaired by this operation. */
    public Check mendedBy(Repair operation) {
        return new Check(id, title, worst, looksAt, why, fix, Optional.of(operation), look);
    }

    /** Applies {@link #look} to the facts. */
    public Outcome look(Facts facts) {
        return look.apply(facts);
    }
}

package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Troubles;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One check of the catalogue. Stateless and thread-safe. The texts are for operators; the reference is generated from
 * them.
 *
 * @param id stable, {@code [a-z][a-z0-9-]*}
 * @param title what it finds, in a few words
 * @param worst the most severe result that it can have
 * @param looksAt what it reads, and when it finds something, with the figures
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
    /** A check to which the methods below add the rest. */
    static Check of(String id, Severity worst, String title) {
        return new Check(id, title, worst, "", "", "", Optional.empty(), facts -> Outcome.skipped("it reads nothing"));
    }

    Check reads(String what) {
        return new Check(id, title, worst, what, why, fix, repair, look);
    }

    Check because(String reason) {
        return new Check(id, title, worst, looksAt, reason, fix, repair, look);
    }

    Check advice(String commands) {
        return new Check(id, title, worst, looksAt, why, commands, repair, look);
    }

    Check repairedBy(Repair operation) {
        return new Check(id, title, worst, looksAt, why, fix, Optional.of(operation), look);
    }

    Check by(Function<Facts, Outcome> decision) {
        return new Check(id, title, worst, looksAt, why, fix, repair, decision);
    }

    /** The same for a decision that several checks share, with other titles and severities. */
    Check by(BiFunction<Check, Facts, Outcome> decision) {
        return by(facts -> decision.apply(this, facts));
    }

    /** The same for what only a trouble of the daemon shows, without which all is well. */
    Check byTroubles(String well) {
        return by(facts -> {
            facts.the(Troubles.Found.class);
            return Outcome.ok(well);
        });
    }

    /** Looks; what the daemon's list of troubles says of this check comes first. */
    public Outcome look(Facts facts) {
        List<Trouble> named = facts.ifThere(Troubles.Found.class)
                .map(found -> found.ofCheck(id))
                .orElse(List.of());
        if (named.isEmpty()) {
            return look.apply(facts);
        }
        Outcome seen;
        try {
            seen = look.apply(facts);
        } catch (MissingFact missing) {
            seen = missing.outcome();
        }
        return seen.under(named, id);
    }
}

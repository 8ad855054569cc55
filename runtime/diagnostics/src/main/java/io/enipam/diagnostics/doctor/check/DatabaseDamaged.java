package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.VerifiedFacts;
import io.enipam.store.Verification;
import java.util.List;

/** A database that is damaged. */
final class DatabaseDamaged implements Check {
    private static final About ABOUT = new About(
            "database-damaged",
            "The database is damaged, or does not agree with the pool",
            Severity.CRITICAL,
            "Every file and record of the database, as 'db verify' does, and whether database and"
                    + " pool say the same: what differs must differ in twenty looks over five seconds.",
            "A damaged file is leases lost at the next restart; a difference is an address that may"
                    + " be lent twice.",
            "db verify; db backup FILE; then db compact writes the files anew from memory");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Verification found = facts.the(VerifiedFacts.class).verification();
        List<Evidence> evidence = found.problems().stream()
                .map(problem -> new Evidence(problem.where(), problem.message(), "db verify: " + problem.check()))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.CRITICAL,
                Say.count(evidence.size(), "problem") + " in the database",
                "sound up to commit " + found.generation());
    }
}

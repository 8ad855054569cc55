package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.DatabaseFacts;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import java.util.Optional;

/** A database that cannot be written. */
final class DatabaseUnwritable implements Check {
    private static final About ABOUT = new About(
            "database-unwritable",
            "The database cannot be written",
            Severity.CRITICAL,
            "Whether commits work. CRITICAL if not.",
            "No lease is given: a lease that is not on disk would be given twice after a restart. DEL goes on.",
            "df -h and df -i of the database; free some room, the database gets over it by itself");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Optional<DbTrouble> trouble = facts.the(DatabaseFacts.class).trouble();
        return trouble.map(cause -> Outcome.of(
                        Severity.CRITICAL,
                        "the database cannot be written: " + cause.cause(),
                        new Evidence("database", cause.cause(), "database", cause.since())))
                .orElseGet(() -> Outcome.ok("commits work"));
    }
}

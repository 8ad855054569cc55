package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.DatabaseFacts;

/** A database grown large. */
final class DatabaseLarge implements Check {
    private static final long LARGE = 256L << 20;

    private static final About ABOUT = new About(
                    "database-large",
                    "The files of the database are larger than they need be",
                    Severity.INFO,
                    "The size of its files. INFO from 256 MiB on.",
                    "A start has to read them. A checkpoint makes the journal before it unnecessary.",
                    "db compact")
            .mendedBy(Repair.COMPACT);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        long bytes = facts.the(DatabaseFacts.class).bytes();
        return bytes < LARGE
                ? Outcome.ok(Say.bytes(bytes))
                : Outcome.of(
                        Severity.INFO,
                        "it has " + Say.bytes(bytes),
                        new Evidence("database", Say.bytes(bytes), "host"));
    }
}

package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Evidence;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Repair;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.doctor.fact.DatabaseFacts;

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

package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.store.Verification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The resource database and its disk. */
public final class DatabaseChecks {

    private DatabaseChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "database-damaged",
                        "The database is damaged, or does not agree with the pool",
                        Severity.CRITICAL,
                        "Every file and record of the database, as 'db verify' does, and whether database and pool"
                                + " say the same: what differs must differ in twenty looks over five seconds.",
                        "A damaged file is leases lost at the next restart; a difference is an address that may be"
                                + " lent twice.",
                        "db verify; db backup FILE; then db compact writes the files anew from memory",
                        DatabaseChecks::databaseDamaged),
                new Check(
                                "database-large",
                                "The files of the database are larger than they need be",
                                Severity.INFO,
                                "The size of its files. INFO from 256 MiB on.",
                                "A start has to read them. A checkpoint makes the journal before it unnecessary.",
                                "db compact",
                                DatabaseChecks::databaseLarge)
                        .mendedBy(Repair.COMPACT),
                new Check(
                        "database-unwritable",
                        "The database cannot be written",
                        Severity.CRITICAL,
                        "Whether commits work. CRITICAL if not.",
                        "No lease is given: a lease that is not on disk would be given twice after a restart. DEL"
                                + " goes on.",
                        "df -h and df -i of the database; free some room, the database gets over it by itself",
                        DatabaseChecks::databaseUnwritable),
                new Check(
                        "disk-nearly-full",
                        "The disk of the database is nearly full",
                        Severity.CRITICAL,
                        "Bytes and inodes of the file system of the database. WARN if less than 10 percent and less"
                                + " than 1 GiB is free, or less than 10 percent of the inodes; CRITICAL below 3"
                                + " percent and 128 MiB, or 2 percent of the inodes.",
                        "When it is full no lease can be given.",
                        "du -x on the file system; journalctl --vacuum-size=500M; remove old images and logs",
                        DatabaseChecks::diskNearlyFull));
    }

    private static Outcome databaseDamaged(Facts facts) {
        Verification found = facts.the(Verification.class);
        return Outcome.each(
                found.problems().stream()
                        .map(problem ->
                                new Evidence(problem.where(), problem.message(), "db verify: " + problem.check())),
                Severity.CRITICAL,
                n -> Figures.count(n, "problem") + " in the database",
                "sound up to commit " + found.generation());
    }

    private static Outcome databaseLarge(Facts facts) {
        long bytes = facts.the(DatabaseState.class).bytes();
        return bytes < 256L << 20
                ? Outcome.ok(Figures.bytes(bytes))
                : Outcome.of(
                        Severity.INFO,
                        "it has " + Figures.bytes(bytes),
                        new Evidence("database", Figures.bytes(bytes), "host"));
    }

    private static Outcome databaseUnwritable(Facts facts) {
        Optional<DbTrouble> trouble = facts.the(DatabaseState.class).trouble();
        return trouble.map(cause -> Outcome.of(
                        Severity.CRITICAL,
                        "the database cannot be written: " + cause.cause(),
                        new Evidence("database", cause.cause(), "database", cause.since())))
                .orElseGet(() -> Outcome.ok("commits work"));
    }

    private static Outcome diskNearlyFull(Facts facts) {
        DiskSpace disk = facts.the(DiskSpace.class);
        Severity worst = Severity.OK;
        List<Evidence> evidence = new ArrayList<>();
        int free = Figures.percent(disk.usable(), disk.total());
        Severity bytes = free < 3 && disk.usable() < 128L << 20
                ? Severity.CRITICAL
                : free < 10 && disk.usable() < 1L << 30 ? Severity.WARN : Severity.OK;
        if (bytes != Severity.OK) {
            evidence.add(new Evidence(
                    disk.directory().toString(),
                    Figures.bytes(disk.usable()) + " of " + Figures.bytes(disk.total()) + " are free, " + free + "%",
                    "host"));
            worst = bytes;
        }
        Severity inodes = disk.inodes().map(DatabaseChecks::inodeSeverity).orElse(Severity.OK);
        if (inodes != Severity.OK) {
            evidence.add(new Evidence(
                    disk.directory().toString(),
                    disk.inodes().orElseThrow().free() + " of "
                            + disk.inodes().orElseThrow().total() + " inodes are free",
                    "host"));
            worst = inodes.atLeast(worst) ? inodes : worst;
        }
        return Outcome.unless(
                evidence,
                worst,
                "the disk of " + disk.directory() + " is nearly full",
                Figures.bytes(disk.usable()) + " are free, " + free + "%");
    }

    private static Severity inodeSeverity(DiskSpace.Inodes inodes) {
        int free = Figures.percent(inodes.free(), inodes.total());
        return free < 2 ? Severity.CRITICAL : free < 10 ? Severity.WARN : Severity.OK;
    }

    /**
     * The database as it is used.
     *
     * @param trouble why nothing can be written, if so
     * @param bytes of its files
     */
    public record DatabaseState(Optional<DbTrouble> trouble, long bytes) {}
}

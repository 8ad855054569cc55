package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.DiskFacts;
import java.util.ArrayList;
import java.util.List;

/** A disk about to be full. */
final class DiskNearlyFull implements Check {
    private static final long SOME = 1L << 30;
    private static final long LITTLE = 128L << 20;

    private static final About ABOUT = new About(
            "disk-nearly-full",
            "The disk of the database is nearly full",
            Severity.CRITICAL,
            "Bytes and inodes of the file system of the database. WARN if less than 10 percent and"
                    + " less than 1 GiB is free, or less than 10 percent of the inodes; CRITICAL below 3"
                    + " percent and 128 MiB, or 2 percent of the inodes.",
            "When it is full no lease can be given.",
            "du -x on the file system; journalctl --vacuum-size=500M; remove old images and logs");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        DiskFacts disk = facts.the(DiskFacts.class);
        Severity worst = Severity.OK;
        List<Evidence> evidence = new ArrayList<>();
        int free = Say.percent(disk.usable(), disk.total());
        Severity bytes = free < 3 && disk.usable() < LITTLE
                ? Severity.CRITICAL
                : free < 10 && disk.usable() < SOME ? Severity.WARN : Severity.OK;
        if (bytes != Severity.OK) {
            evidence.add(new Evidence(
                    disk.directory().toString(),
                    Say.bytes(disk.usable()) + " of " + Say.bytes(disk.total()) + " are free, " + free + "%",
                    "host"));
            worst = bytes;
        }
        Severity inodes = disk.inodes().map(DiskNearlyFull::inodes).orElse(Severity.OK);
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
                Say.bytes(disk.usable()) + " are free, " + free + "%");
    }

    private static Severity inodes(DiskFacts.Inodes inodes) {
        int free = Say.percent(inodes.free(), inodes.total());
        return free < 2 ? Severity.CRITICAL : free < 10 ? Severity.WARN : Severity.OK;
    }
}

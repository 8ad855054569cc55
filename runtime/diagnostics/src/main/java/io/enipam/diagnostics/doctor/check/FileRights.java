package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.FileFacts;
import java.util.ArrayList;
import java.util.List;

/** Rights of files. */
final class FileRights implements Check {
    private static final About ABOUT = new About(
                    "file-rights",
                    "The rights of the daemon's files are wrong",
                    Severity.CRITICAL,
                    "The socket (0660 at most), the directory of the database (nobody but the owner"
                            + " writes), the audit log (0600). CRITICAL if others may do more, WARN if the owner may"
                            + " do less than it has to.",
                    "Whoever may connect may take addresses away from pods; whoever may write the database"
                            + " may give them to anybody.",
                    "ls -l on the paths; doctor --repair file-rights")
            .mendedBy(Repair.MODES);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        boolean open = false;
        for (FileFacts.Mode mode : facts.the(FileFacts.class).modes()) {
            open |= !mode.tooMany().isEmpty();
            if (!mode.tooMany().isEmpty() || !mode.tooFew().isEmpty()) {
                evidence.add(new Evidence(mode.path(), "the " + mode.what() + " has " + mode.shown(), "host"));
            }
        }
        return Outcome.unless(
                evidence,
                open ? Severity.CRITICAL : Severity.WARN,
                "the rights of " + Say.count(evidence.size(), "file") + " are wrong",
                "nobody may do more than needed");
    }
}

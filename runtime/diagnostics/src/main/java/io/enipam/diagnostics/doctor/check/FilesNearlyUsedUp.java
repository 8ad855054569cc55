package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ProcessFacts;

/** File descriptors. */
final class FilesNearlyUsedUp implements Check {
    private static final About ABOUT = new About(
            "descriptors-low",
            "The daemon has hardly any file descriptor left",
            Severity.CRITICAL,
            "Open files of the process against its limit. WARN from 80 percent on, CRITICAL from 95.",
            "Without descriptors it accepts no connection and writes no file.",
            "ls -l /proc/$(pidof enipamd)/fd; raise LimitNOFILE");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ProcessFacts process = facts.the(ProcessFacts.class);
        int used = Say.percent(process.files(), process.mostFiles());
        String figures = process.files() + " of " + process.mostFiles() + " file descriptors are open";
        return used < 80
                ? Outcome.ok(figures)
                : Outcome.of(
                        used < 95 ? Severity.WARN : Severity.CRITICAL,
                        figures,
                        new Evidence("daemon", figures, "host"));
    }
}

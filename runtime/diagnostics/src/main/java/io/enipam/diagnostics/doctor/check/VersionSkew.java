package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.VersionFacts;

/** Versions that differ. */
final class VersionSkew implements Check {
    private static final About ABOUT = new About(
            "version-skew",
            "Shell and daemon are of different versions",
            Severity.INFO,
            "The version of who asks, and that of the daemon. INFO if they differ.",
            "Commands of one may be unknown to the other; after an upgrade it tells that the daemon"
                    + " was not restarted.",
            "version; restart the daemon after an upgrade");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        VersionFacts versions = facts.the(VersionFacts.class);
        if (versions.client().isEmpty()) {
            return Outcome.skipped("who asks does not say its version");
        }
        return versions.client().equals(versions.daemon())
                ? Outcome.ok("both are " + versions.daemon())
                : Outcome.of(
                        Severity.INFO,
                        "the shell is " + versions.client() + ", the daemon " + versions.daemon(),
                        new Evidence("daemon", versions.daemon(), "daemon"));
    }
}

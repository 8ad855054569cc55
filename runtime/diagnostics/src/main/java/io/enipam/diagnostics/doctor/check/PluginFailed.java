package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.pluginhost.PluginReport;

/** Plugins that failed. */
final class PluginFailed implements Check {
    private static final About ABOUT = new About(
            "plugin-failed",
            "A plugin could not be used",
            Severity.WARN,
            "The plugins. WARN for each that is FAILED: it could not be loaded, or what is wanted"
                    + " of it could not be opened.",
            "What it was installed for does not happen.",
            "plugin info ID; correct it and restart the daemon");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        return PluginStates.outcome(facts, PluginReport.State.FAILED, "failed", "no plugin failed");
    }
}

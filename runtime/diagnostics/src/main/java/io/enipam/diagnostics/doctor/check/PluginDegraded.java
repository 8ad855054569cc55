package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.pluginhost.PluginReport;

/** Plugins that are not asked. */
final class PluginDegraded implements Check {
    private static final About ABOUT = new About(
            "plugin-degraded",
            "A plugin in force is not asked now",
            Severity.WARN,
            "The plugins. WARN for each that is DEGRADED: its calls fail or hang, and are not made"
                    + " for now. The daemon tries again by itself.",
            "The daemon goes by its own rules meanwhile, and a factory that is down makes no address.",
            "plugin info ID; plugin swap policy watermark, or plugin swap factory eni-ip, until it is mended");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        return PluginStates.outcome(facts, PluginReport.State.DEGRADED, "degraded", "every plugin in force is asked");
    }
}

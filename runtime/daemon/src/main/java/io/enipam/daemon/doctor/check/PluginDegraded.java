package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.plugin.PluginReport;

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

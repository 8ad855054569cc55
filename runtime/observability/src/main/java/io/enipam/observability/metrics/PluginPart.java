package io.enipam.observability.metrics;

import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.PluginReport.State;
import io.enipam.pluginhost.guard.PluginCallCounts;
import java.util.List;
import java.util.function.Supplier;

/** The plugins that are installed; what ships with the daemon is none of them. */
record PluginPart(Supplier<List<PluginReport>> plugins, String builtIn) implements Part {
    private static final Metric STATE =
            Metric.gauge("enipam_plugin_state", "1 for the state that a plugin is in.", "plugin", "state");
    private static final Metric CALLS =
            Metric.counter("enipam_plugin_calls_total", "Calls that a plugin was given.", "plugin");
    private static final Metric FAILURES = Metric.counter(
            "enipam_plugin_call_failures_total",
            "Calls that threw (failed), answered nonsense (rejected), gave no answer in time (late) or were not made"
                    + " because of that (skipped).",
            "plugin",
            "reason");
    private static final Metric OVERDUE =
            Metric.gauge("enipam_plugin_overdue_calls", "Calls under way beyond their deadline.", "plugin");

    private static final int MOST_PLUGINS = 64;

    @Override
    public String name() {
        return "plugins";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(STATE, CALLS, FAILURES, OVERDUE);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        List<PluginReport> installed = plugins.get().stream()
                .filter(plugin -> !plugin.id().equals(builtIn))
                .limit(MOST_PLUGINS)
                .toList();
        for (PluginReport plugin : installed) {
            for (State state : State.values()) {
                sheet.put(STATE, plugin.state() == state, plugin.id(), Words.lower(state));
            }
            PluginCallCounts counts = plugin.counts().calls();
            sheet.put(CALLS, counts.made(), plugin.id());
            sheet.put(FAILURES, counts.failed(), plugin.id(), "failed");
            sheet.put(FAILURES, counts.rejected(), plugin.id(), "rejected");
            sheet.put(FAILURES, counts.late(), plugin.id(), "late");
            sheet.put(FAILURES, counts.skipped(), plugin.id(), "skipped");
            sheet.put(OVERDUE, counts.overdue(), plugin.id());
        }
    }
}

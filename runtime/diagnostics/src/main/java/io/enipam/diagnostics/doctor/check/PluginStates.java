package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.PluginFacts;
import io.enipam.pluginhost.PluginReport;
import java.util.List;

/** Plugins in a state that nobody wants. */
final class PluginStates {
    private PluginStates() {}

    static Outcome outcome(Facts facts, PluginReport.State state, String word, String well) {
        List<PluginReport> found = facts.the(PluginFacts.class).plugins().stream()
                .filter(plugin -> plugin.state() == state)
                .toList();
        if (found.isEmpty()) {
            return Outcome.ok(well);
        }
        return Outcome.of(
                        Severity.WARN,
                        Say.count(found.size(), "plugin") + " " + word,
                        found.stream()
                                .map(plugin -> new Evidence(plugin.id(), plugin.cause(), "plugins", plugin.since()))
                                .toList())
                .fixedBy("plugin info " + found.get(0).id());
    }
}

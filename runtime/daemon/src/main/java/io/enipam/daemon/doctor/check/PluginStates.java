package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.Evidence;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.doctor.fact.PluginFacts;
import io.enipam.daemon.plugin.PluginReport;
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

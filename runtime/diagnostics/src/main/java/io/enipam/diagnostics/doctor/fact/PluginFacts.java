package io.enipam.diagnostics.doctor.fact;

import io.enipam.pluginhost.PluginReport;
import java.util.List;
import java.util.Optional;

/**
 * The plugins, and what is in force of them.
 *
 * @param selected the policy that was chosen
 * @param inForce the one that is asked
 * @param factoryTrouble why a factory that is needed cannot be opened, if so
 */
public record PluginFacts(
        List<PluginReport> plugins, String selected, String inForce, Optional<String> factoryTrouble) {
    public PluginFacts {
        plugins = List.copyOf(plugins);
    }
}

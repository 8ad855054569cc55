package io.enipam.diagnostics.doctor;

import io.enipam.config.DaemonConfig;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.pluginhost.PluginReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The configuration and the plugins that it selects. */
public final class ConfigChecks {

    private ConfigChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "config-adjusted",
                        "The configuration is not obeyed as written",
                        Severity.INFO,
                        "What the daemon changed in the configuration to make it consistent, settings of terway that"
                                + " are accepted and not acted on, and what a ConfigMap says that needs a restart.",
                        "The operator wrote it and counts on it.",
                        "config show; correct eni.json or enipam.yaml; restart the daemon for what waits for it",
                        ConfigChecks::configAdjusted),
                new Check(
                        "config-not-followed",
                        "The cluster's word on the configuration is not in force",
                        Severity.WARN,
                        "This node at the API server, the ConfigMap that its label terway-config names, and the"
                                + " addresses of services.",
                        "The configuration of this node was changed, and it goes on by the earlier one.",
                        "config show; correct the ConfigMap or the label: it is looked at every minute",
                        ConfigChecks::configNotFollowed),
                new Check(
                        "factory-away",
                        "A factory cannot be opened",
                        Severity.CRITICAL,
                        "The factories that are needed. CRITICAL if one cannot be opened.",
                        "What it made cannot be given back, and if it is the active one no address is made.",
                        "plugin list; plugin info ID",
                        ConfigChecks::factoryAway),
                new Check(
                        "factory-leaving",
                        "A factory does not come to its end",
                        Severity.INFO,
                        "The factories. INFO for each that leaves and still has resources.",
                        "It keeps what it made until the pods that have it end; until then two factories share the"
                                + " node.",
                        "pod list; the pods that hold it end by themselves, or are moved",
                        ConfigChecks::factoryLeaving),
                new Check(
                        "plugin-degraded",
                        "A plugin in force is not asked now",
                        Severity.WARN,
                        "The plugins. WARN for each that is DEGRADED: its calls fail or hang, and are not made for"
                                + " now. The daemon tries again by itself.",
                        "The daemon goes by its own rules meanwhile, and a factory that is down makes no address.",
                        "plugin info ID; plugin swap policy watermark, or plugin swap factory eni-ip, until it is"
                                + " mended",
                        ConfigChecks::pluginDegraded),
                new Check(
                        "plugin-failed",
                        "A plugin could not be used",
                        Severity.WARN,
                        "The plugins. WARN for each that is FAILED: it could not be loaded, or what is wanted of it"
                                + " could not be opened.",
                        "What it was installed for does not happen.",
                        "plugin info ID; correct it and restart the daemon",
                        ConfigChecks::pluginFailed),
                new Check(
                                "policy-fallback",
                                "Another policy is in force than the one chosen",
                                Severity.WARN,
                                "The selected policy and the one in force. WARN if they differ, since the selected"
                                        + " one could not be opened.",
                                "The pool is kept by the built-in rules, and not as the operator decided.",
                                "plugin list; pool policy NAME opens it again",
                                ConfigChecks::policyFallback)
                        .mendedBy(Repair.POLICY));
    }

    private static Outcome configAdjusted(Facts facts) {
        ConfigState config = facts.the(ConfigState.class);
        List<Evidence> evidence = new ArrayList<>();
        config.adjusted().forEach(line -> evidence.add(new Evidence("config", line, "config")));
        config.unobeyed().forEach(key -> evidence.add(new Evidence(key, "is accepted and not acted on", "config")));
        config.pending()
                .forEach(waiting -> evidence.add(new Evidence(
                        waiting.key(),
                        "is '" + waiting.value() + "' of " + waiting.source() + " after a restart",
                        "config")));
        return Outcome.unless(
                evidence,
                Severity.INFO,
                Figures.count(evidence.size(), "setting") + " not obeyed as written",
                "every setting is obeyed");
    }

    private static Outcome configNotFollowed(Facts facts) {
        return Outcome.each(
                facts.the(ConfigState.class).troubles().stream().map(line -> new Evidence("config", line, "config")),
                Severity.WARN,
                n -> Figures.count(n, "word") + " of the cluster on the configuration not in force",
                "what the cluster says of the configuration is in force");
    }

    private static Outcome factoryAway(Facts facts) {
        return facts.the(PluginState.class)
                .factoryTrouble()
                .map(why -> Outcome.of(Severity.CRITICAL, why, new Evidence("factory", why, "plugins")))
                .orElseGet(() -> Outcome.ok("every factory that is needed is open"));
    }

    private static Outcome factoryLeaving(Facts facts) {
        return Outcome.each(
                facts.the(EngineState.class).factories().stream()
                        .filter(factory -> factory.role() == FactoryView.Role.LEAVING)
                        .map(factory -> new Evidence(
                                factory.name(),
                                factory.resources() + " resources, " + factory.leases() + " of them lent",
                                "engine")),
                Severity.INFO,
                n -> n + " on the way out",
                "one factory makes everything");
    }

    private static Outcome pluginDegraded(Facts facts) {
        return pluginsIn(facts, PluginReport.State.DEGRADED, "degraded", "every plugin in force is asked");
    }

    private static Outcome pluginFailed(Facts facts) {
        return pluginsIn(facts, PluginReport.State.FAILED, "failed", "no plugin failed");
    }

    private static Outcome policyFallback(Facts facts) {
        PluginState plugins = facts.the(PluginState.class);
        if (plugins.selected().equals(plugins.inForce())) {
            return Outcome.ok("the policy in force is " + plugins.inForce());
        }
        return Outcome.of(
                        Severity.WARN,
                        plugins.inForce() + " stands in for " + plugins.selected(),
                        new Evidence(plugins.selected(), "was selected and could not be opened", "selection"))
                .fixedBy("plugin list; pool policy " + plugins.selected());
    }

    private static Outcome pluginsIn(Facts facts, PluginReport.State state, String word, String well) {
        List<PluginReport> found = facts.the(PluginState.class).plugins().stream()
                .filter(plugin -> plugin.state() == state)
                .toList();
        if (found.isEmpty()) {
            return Outcome.ok(well);
        }
        return Outcome.of(
                        Severity.WARN,
                        Figures.count(found.size(), "plugin") + " " + word,
                        found.stream()
                                .map(plugin -> new Evidence(plugin.id(), plugin.cause(), "plugins", plugin.since()))
                                .toList())
                .fixedBy("plugin info " + found.get(0).id());
    }

    /**
     * The configuration in force.
     *
     * @param adjusted what was changed to make the whole consistent, a line each
     * @param unobeyed settings that are written somewhere and not acted on, {@code KEY of FILE}
     * @param pending what a restart would put in force
     * @param troubles what is wrong with what the cluster says of it, a line each
     */
    public record ConfigState(
            List<String> adjusted, List<String> unobeyed, List<DaemonConfig.Pending> pending, List<String> troubles) {
        public ConfigState {
            adjusted = List.copyOf(adjusted);
            unobeyed = List.copyOf(unobeyed);
            pending = List.copyOf(pending);
            troubles = List.copyOf(troubles);
        }
    }

    /**
     * The plugins, and what is in force of them.
     *
     * @param selected the policy that was chosen
     * @param inForce the one that is asked
     * @param factoryTrouble why a factory that is needed cannot be opened, if so
     */
    public record PluginState(
            List<PluginReport> plugins, String selected, String inForce, Optional<String> factoryTrouble) {
        public PluginState {
            plugins = List.copyOf(plugins);
        }
    }
}

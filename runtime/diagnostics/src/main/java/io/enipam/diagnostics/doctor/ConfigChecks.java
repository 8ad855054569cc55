package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.ok;
import static io.enipam.diagnostics.doctor.Outcome.unless;

import io.enipam.config.DaemonConfig;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.pluginhost.PluginReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The configuration and the plugins that it selects. */
public final class ConfigChecks {
    static final List<Check> ALL = List.of(
            Check.of("config-adjusted", INFO, "The configuration is not obeyed as written")
                    .reads("What the daemon changed in the configuration to make it consistent, settings of terway that"
                            + " are accepted and not acted on, and what a ConfigMap says that needs a restart.")
                    .because("The operator wrote it and counts on it.")
                    .advice("config show; correct eni.json or enipam.yaml; restart the daemon for what waits for it")
                    .by(ConfigChecks::configAdjusted),
            Check.of("config-not-followed", WARN, "The cluster's word on the configuration is not in force")
                    .reads("This node at the API server, the ConfigMap that its label terway-config names, and the"
                            + " addresses of services.")
                    .because("The configuration of this node was changed, and it goes on by the earlier one.")
                    .advice("config show; correct the ConfigMap or the label: it is looked at every minute")
                    .by(ConfigChecks::configNotFollowed),
            Check.of("factory-away", CRITICAL, "A factory cannot be opened")
                    .reads("The factories that are needed. CRITICAL if one cannot be opened.")
                    .because("What it made cannot be given back, and if it is the active one no address is made.")
                    .advice("plugin list; plugin info ID")
                    .by(ConfigChecks::factoryAway),
            Check.of("factory-leaving", INFO, "A factory does not come to its end")
                    .reads("The factories. INFO for each that leaves and still has resources.")
                    .because("It keeps what it made until the pods that have it end; until then two factories share the"
                            + " node.")
                    .advice("pod list; the pods that hold it end by themselves, or are moved")
                    .by(ConfigChecks::factoryLeaving),
            Check.of("plugin-degraded", WARN, "A plugin in force is not asked now")
                    .reads("The plugins. WARN for each that is DEGRADED: its calls fail or hang, and are not made for"
                            + " now. The daemon tries again by itself.")
                    .because("The daemon goes by its own rules meanwhile, and a factory that is down makes no address.")
                    .advice("plugin info ID; plugin swap policy watermark, or plugin swap factory eni-ip, until it is"
                            + " mended")
                    .by(pluginsIn(PluginReport.State.DEGRADED, "every plugin in force is asked")),
            Check.of("plugin-failed", WARN, "A plugin could not be used")
                    .reads(
                            "The plugins. WARN for each that is FAILED: it could not be loaded, it was set aside since two"
                                    + " daemons in a row ended while they loaded it, or what is wanted of it could not be opened.")
                    .because("What it was installed for does not happen.")
                    .advice("plugin info ID; correct it, and then: plugin reload ID")
                    .by(pluginsIn(PluginReport.State.FAILED, "no plugin failed")),
            Check.of("plugin-output-limited", WARN, "Something of a plugin is left out")
                    .reads(
                            "Commands and checks that running extensions bring, and the label values of plugins' metrics. WARN"
                                    + " for each extension whose commands and checks cannot be taken, and for each metric with more"
                                    + " combinations of label values than it may have.")
                    .because("An operator misses commands, or all further values are counted as 'other'.")
                    .advice(
                            "plugin list; the plugin must be corrected, or another one that has the same words be removed")
                    .by(ConfigChecks::outputLimited),
            Check.of("plugin-replaced", INFO, "The jar of a plugin is another one than the one loaded")
                    .reads(
                            "The files of the plugins. INFO for each that is loaded and whose jars were replaced or removed"
                                    + " since.")
                    .because("The daemon goes on with the former jar, and the next start takes the other.")
                    .advice("plugin reload ID, or put the former jar back")
                    .by(ConfigChecks::pluginReplaced),
            Check.of("policy-target", WARN, "The policy asks for what is not followed")
                    .reads(
                            "What the policy in force asked for in the last ten minutes. WARN if its target goes up and down"
                                    + " while no pod comes or goes, or is above the pool's capacity.")
                    .because(
                            "Idle addresses are given back late, or fewer are kept than the policy counts on; without the"
                                    + " brake each turn would be calls of the cloud.")
                    .advice("plugin info ID; correct the policy's settings, or plugin swap policy watermark")
                    .by(ConfigChecks::policyTarget),
            Check.of("policy-fallback", WARN, "Another policy is in force than the one chosen")
                    .reads("The selected policy and the one in force. WARN if they differ, since the selected one could"
                            + " not be opened.")
                    .because("The pool is kept by the built-in rules, and not as the operator decided.")
                    .advice("plugin list; pool policy NAME opens it again")
                    .repairedBy(Repair.POLICY)
                    .by(ConfigChecks::policyFallback));

    private ConfigChecks() {}

    private static Outcome configAdjusted(Facts facts) {
        ConfigState config = facts.the(ConfigState.class);
        List<Evidence> evidence = new ArrayList<>();
        config.adjusted().forEach(line -> evidence.add(new Evidence("config", line, "config")));
        config.unobeyed().forEach(key -> evidence.add(new Evidence(key, "is accepted and not acted on", "config")));
        config.pending().forEach(waiting -> {
            String later = "is '" + waiting.value() + "' of " + waiting.source() + " after a restart";
            evidence.add(new Evidence(waiting.key(), later, "config"));
        });
        return unless(
                evidence,
                INFO,
                count(evidence.size(), "setting") + " not obeyed as written",
                "every setting is obeyed");
    }

    private static Outcome configNotFollowed(Facts facts) {
        return each(
                facts.the(ConfigState.class).troubles().stream().map(line -> new Evidence("config", line, "config")),
                WARN,
                n -> count(n, "word") + " of the cluster on the configuration not in force",
                "what the cluster says of the configuration is in force");
    }

    private static Outcome factoryAway(Facts facts) {
        return facts.the(PluginState.class)
                .factoryTrouble()
                .map(why -> found(CRITICAL, why, new Evidence("factory", why, "plugins")))
                .orElseGet(() -> ok("every factory that is needed is open"));
    }

    private static Outcome factoryLeaving(Facts facts) {
        return each(
                facts.the(EngineState.class).factories().stream()
                        .filter(factory -> factory.role() == FactoryView.Role.LEAVING)
                        .map(factory -> new Evidence(
                                factory.name(),
                                factory.resources() + " resources, " + factory.leases() + " of them lent",
                                "engine")),
                INFO,
                n -> n + " on the way out",
                "one factory makes everything");
    }

    private static Outcome pluginReplaced(Facts facts) {
        List<String> replaced = facts.the(PluginState.class).replaced();
        Outcome outcome = each(
                replaced.stream()
                        .map(id -> new Evidence(id, "was loaded from other jars than are there now", "plugins")),
                INFO,
                n -> count(n, "plugin") + " replaced on disk",
                "every plugin is the one on disk");
        return replaced.isEmpty() ? outcome : outcome.fixedBy("plugin reload " + replaced.get(0));
    }

    private static Outcome policyTarget(Facts facts) {
        PluginState plugins = facts.the(PluginState.class);
        return plugins.targetTrouble()
                .map(why -> found(WARN, why, new Evidence(plugins.inForce(), why, "engine")))
                .orElseGet(() -> ok("what the policy " + plugins.inForce() + " asks for is followed"));
    }

    private static Outcome policyFallback(Facts facts) {
        PluginState plugins = facts.the(PluginState.class);
        String selected = plugins.selected();
        return selected.equals(plugins.inForce())
                ? ok("the policy in force is " + plugins.inForce())
                : found(
                                WARN,
                                plugins.inForce() + " stands in for " + selected,
                                new Evidence(selected, "was selected and could not be opened", "selection"))
                        .fixedBy("plugin list; pool policy " + selected);
    }

    private static Outcome outputLimited(Facts facts) {
        Map<String, String> limits = facts.the(PluginOutput.class).limits();
        return each(
                limits.entrySet().stream().map(each -> new Evidence(each.getKey(), each.getValue(), "plugins")),
                WARN,
                n -> count(n, "limit") + " of plugins reached",
                "everything that plugins bring for operators is shown");
    }

    private static Function<Facts, Outcome> pluginsIn(PluginReport.State state, String well) {
        return facts -> {
            List<PluginReport> found = facts.the(PluginState.class).plugins().stream()
                    .filter(plugin -> plugin.state() == state)
                    .toList();
            Outcome outcome = each(
                    found.stream().map(one -> new Evidence(one.id(), one.cause(), "plugins", one.since())),
                    WARN,
                    n -> count(n, "plugin") + " " + state.name().toLowerCase(Locale.ROOT),
                    well);
            return found.isEmpty()
                    ? outcome
                    : outcome.fixedBy("plugin info " + found.get(0).id());
        };
    }

    /**
     * @param adjusted what was changed to make the whole consistent, a line each
     * @param unobeyed settings that are written somewhere and not acted on, {@code KEY of FILE}
     * @param pending what a restart would put in force
     * @param troubles what is wrong with what the cluster says of it, a line each
     */
    public record ConfigState(
            List<String> adjusted, List<String> unobeyed, List<DaemonConfig.Pending> pending, List<String> troubles) {}

    /** @param limits why something is left out, by the extension or the metric */
    public record PluginOutput(Map<String, String> limits) {}

    /**
     * The plugins, and what is in force of them.
     *
     * @param selected the policy that was chosen
     * @param inForce the one that is asked
     * @param factoryTrouble why a factory that is needed cannot be opened, if so
     * @param replaced the ids of those that were loaded from other jars than are there now
     * @param targetTrouble what is wrong with what the policy asks for, if something is
     */
    public record PluginState(
            List<PluginReport> plugins,
            String selected,
            String inForce,
            Optional<String> factoryTrouble,
            List<String> replaced,
            Optional<String> targetTrouble) {}
}

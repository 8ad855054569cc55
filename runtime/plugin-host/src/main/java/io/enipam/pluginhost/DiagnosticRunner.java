package io.enipam.pluginhost;

import io.enipam.config.NearestName;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.pluginhost.operator.AnswerBounds;
import io.enipam.pluginhost.operator.AnswerBounds.Bounded;
import io.enipam.pluginhost.operator.ParameterTexts;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs the diagnostics of plugins, each within its deadline on a thread of its plugin. Thread-safe. */
public record DiagnosticRunner(PluginHost host, Supplier<PoolSnapshot> pool) {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    /** @param arguments parameters as text, by name; a list is written with commas */
    public CompletableFuture<Bounded<Answer.Rows>> run(String plugin, String name, Map<String, String> arguments) {
        GuardedPlugin unit = host.catalog().plugin(plugin).map(host::unit).orElseThrow(() -> none(plugin));
        Diagnostic diagnostic = named(unit.loaded(), name);
        DiagnosticRequest request = new DiagnosticRequest(
                arguments(diagnostic, arguments),
                pool.get(),
                host.config().pluginSettings(plugin, unit.loaded().settings()));
        return unit.guard()
                .calls()
                .call("diagnostic " + name, DEADLINE, () -> AnswerBounds.table(diagnostic.run(request)))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new IpamException(
                        ErrorCode.PLUGIN_FAILED,
                        "diagnostic " + name + " of plugin " + plugin + " failed: "
                                + Stages.cause(failure).getMessage(),
                        "'plugin info " + plugin + "' shows how the plugin fares",
                        Stages.cause(failure))));
    }

    private static Settings arguments(Diagnostic diagnostic, Map<String, String> arguments) {
        try {
            return Settings.of(diagnostic.parameters(), ParameterTexts.separated(diagnostic.parameters(), arguments));
        } catch (IllegalArgumentException e) {
            String parameters = String.join(
                    ", ", diagnostic.parameters().stream().map(Setting::name).toList());
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    ParameterTexts.problems(e),
                    parameters.isEmpty() ? "it takes no parameters" : "its parameters are " + parameters,
                    e);
        }
    }

    private IpamException none(String plugin) {
        List<String> ids =
                host.units().stream().map(unit -> unit.loaded().manifest().id()).toList();
        String hint = ids.isEmpty()
                ? "no plugin is loaded; 'plugin list' shows those that are installed"
                : "loaded are " + String.join(", ", ids);
        return unknown("plugin", plugin, ids, hint);
    }

    private static Diagnostic named(LoadedPlugin plugin, String name) {
        List<String> there = plugin.diagnostics().stream().map(Diagnostic::name).toList();
        String id = plugin.manifest().id();
        return plugin.diagnostics().stream()
                .filter(diagnostic -> diagnostic.name().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(
                        "diagnostic",
                        name,
                        there,
                        there.isEmpty()
                                ? "plugin " + id + " brings no diagnostics"
                                : "those of plugin " + id + " are " + String.join(", ", there)));
    }

    static IpamException unknown(String what, String name, Collection<String> there, String hint) {
        return new IpamException(
                ErrorCode.NOT_FOUND,
                "there is no " + what + " '" + name + "'" + NearestName.hint(name, there, ""),
                hint);
    }
}

package io.enipam.pluginhost;

import io.enipam.config.NearestName;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs the diagnostics of plugins, each within its deadline on a thread of its plugin. Thread-safe. */
public record DiagnosticRunner(PluginHost host, Supplier<PoolSnapshot> pool) {
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int MOST_ROWS = 10_000;
    private static final int LONGEST_CELL = 1_000;
    /** Up to three bytes each: with headings, well below the four megabytes of one reply. */
    private static final int MOST_CHARACTERS = 1_000_000;

    /** @param truncated whether rows were left out: those beyond the 10,000th, or beyond a million characters */
    public record Result(DiagnosticTable table, boolean truncated) {}

    /** @param arguments parameters as text, by name; a list is written with commas */
    public CompletableFuture<Result> run(String plugin, String name, Map<String, String> arguments) {
        GuardedPlugin unit = host.catalog().plugin(plugin).map(host::unit).orElseThrow(() -> none(plugin));
        Diagnostic diagnostic = named(unit.loaded(), name);
        DiagnosticRequest request = new DiagnosticRequest(
                arguments(diagnostic, arguments),
                pool.get(),
                host.config().pluginSettings(plugin, unit.loaded().settings()));
        return unit.guard()
                .calls()
                .call("diagnostic " + name, DEADLINE, () -> bounded(diagnostic.run(request)))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new IpamException(
                        ErrorCode.PLUGIN_FAILED,
                        "diagnostic " + name + " of plugin " + plugin + " failed: "
                                + Stages.cause(failure).getMessage(),
                        "'plugin info " + plugin + "' shows how the plugin fares",
                        Stages.cause(failure))));
    }

    private static Settings arguments(Diagnostic diagnostic, Map<String, String> arguments) {
        Map<String, List<String>> texts = new HashMap<>();
        arguments.forEach((name, value) -> texts.put(name, texts(diagnostic, name, value)));
        try {
            return Settings.of(diagnostic.parameters(), texts);
        } catch (IllegalArgumentException e) {
            String parameters = String.join(
                    ", ", diagnostic.parameters().stream().map(Setting::name).toList());
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    String.valueOf(e.getMessage())
                            .replace("\n", "; ")
                            .replace("there is no such setting", "there is no such parameter"),
                    parameters.isEmpty() ? "it takes no parameters" : "its parameters are " + parameters,
                    e);
        }
    }

    private static List<String> texts(Diagnostic diagnostic, String name, String value) {
        boolean list =
                diagnostic.parameters().stream().anyMatch(known -> known.name().equals(name) && known.list());
        return list ? List.of(value.split(",", -1)) : List.of(value);
    }

    private static Result bounded(DiagnosticTable table) {
        if (table == null) {
            throw new IllegalStateException("it answered null");
        }
        List<List<String>> rows = new ArrayList<>();
        int characters = 0;
        for (List<String> row : table.rows()) {
            List<String> shown = row.stream().map(DiagnosticRunner::cut).toList();
            characters += shown.stream().mapToInt(String::length).sum();
            if (rows.size() == MOST_ROWS || characters > MOST_CHARACTERS) {
                break;
            }
            rows.add(shown);
        }
        List<String> columns =
                table.columns().stream().map(DiagnosticRunner::cut).toList();
        return new Result(
                new DiagnosticTable(columns, rows), rows.size() < table.rows().size());
    }

    private static String cut(String cell) {
        return cell.length() <= LONGEST_CELL ? cell : cell.substring(0, LONGEST_CELL - 3) + "...";
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
        Optional<String> near = NearestName.of(name, there);
        return new IpamException(
                ErrorCode.NOT_FOUND,
                "there is no " + what + " '" + name + "'"
                        + near.map(meant -> "; did you mean " + meant + "?").orElse(""),
                hint);
    }
}

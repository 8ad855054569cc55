package io.enipam.shell.plugin;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.KeyValueArguments;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The daemon's plugins. */
public final class PluginCommands {
    private PluginCommands() {}

    @Command(
            name = "list",
            description = {
                "All plugins: their state, what they bring, how calls fare.",
                "A policy or factory with a * is the one in force. FAILED counts the calls without an answer that could be used."
            },
            footer = {"  plugin list", "  plugin list -o json"})
    public static final class ListAll extends ListCommand<Plugin> {
        public ListAll(Session session) {
            super(session);
        }

        @Override
        public TableListing<Plugin> listing() {
            return PluginViews.LIST;
        }

        @Override
        public ListReply<Plugin> ask() {
            return whole(
                    stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()),
                    ListPluginsReply::getPluginsList);
        }

        @Override
        public Optional<BiFunction<List<Plugin>, RenderContext, List<String>>> below() {
            return Optional.of(PluginViews::causes);
        }
    }

    @Command(
            name = "info",
            description = {
                "One plugin: state and cause, settings, diagnostics.",
                "What is built in is the plugin 'builtin'."
            },
            footer = {"  plugin info builtin", "  plugin info warm-target-policy -o json"})
    public static final class Info extends DaemonCommand {
        @Completes(CompletionKind.PLUGINS)
        @Parameters(paramLabel = "ID", description = "The plugin's id; see: plugin list")
        String id = "";

        public Info(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    new PluginNameErrors(this)
                            .named(
                                    id,
                                    PluginNames::ids,
                                    () -> inspect(stub -> stub.getPlugin(GetPluginRequest.newBuilder()
                                            .setId(id)
                                            .build()))),
                    (reply, look) -> PluginViews.one(reply.getPlugin(), look),
                    reply -> List.of(reply.getPlugin().getId()));
        }
    }

    @Command(
            name = "run",
            description = {
                "Run one of a plugin's diagnostics; it changes nothing.",
                "Which there are, and their parameters: plugin info ID. A list is written with commas."
            },
            footer = {"  plugin run warm-target-policy targets", "  plugin run warm-target-policy targets -o json"})
    public static final class RunDiagnostic extends DaemonCommand {
        @Completes(CompletionKind.PLUGINS)
        @Parameters(index = "0", paramLabel = "ID", description = "The plugin's id; see: plugin list")
        String id = "";

        @Completes(CompletionKind.DIAGNOSTICS)
        @Parameters(index = "1", paramLabel = "NAME", description = "The diagnostic; see: plugin info ID")
        String diagnostic = "";

        @Completes(CompletionKind.DIAGNOSTIC_PARAMETERS)
        @Parameters(index = "2..*", arity = "0..*", paramLabel = "K=V", description = "Parameters and their values.")
        List<String> parameters = List.of();

        public RunDiagnostic(Session session) {
            super(session);
        }

        @Override
        public void prepare() {
            KeyValueArguments.byName(parameters, "window=10m");
        }

        @Override
        public void run() {
            Map<String, String> arguments = KeyValueArguments.byName(parameters, "window=10m");
            RunDiagnosticRequest request = RunDiagnosticRequest.newBuilder()
                    .setPlugin(id)
                    .setName(diagnostic)
                    .putAllArguments(arguments)
                    .build();
            try {
                show(inspect(stub -> stub.runDiagnostic(request)), PluginViews::diagnostic, RunDiagnostic::names);
            } catch (ShellException refusal) {
                throw explained(refusal, arguments).orElse(refusal);
            }
        }

        /** What stands in the first column: a diagnostic says what it is about there. */
        private static List<String> names(RunDiagnosticReply reply) {
            return reply.getRowsList().stream()
                    .filter(row -> row.getCellsCount() > 0)
                    .map(row -> row.getCells(0))
                    .toList();
        }

        /** The first of the names that is not known explains a refusal: the plugin's, the diagnostic's, a parameter's. */
        private Optional<ShellException> explained(ShellException refusal, Map<String, String> arguments) {
            PluginNameErrors hints = new PluginNameErrors(this);
            return hints.explained(refusal, id, PluginNames::ids)
                    .or(() -> hints.explained(refusal, diagnostic, names -> names.diagnostics(id)))
                    .or(() -> arguments.keySet().stream()
                            .flatMap(name ->
                                    hints.explained(refusal, name, names -> names.parameters(id, diagnostic)).stream())
                            .findFirst());
        }
    }
}

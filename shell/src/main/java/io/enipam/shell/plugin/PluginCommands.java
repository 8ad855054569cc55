package io.enipam.shell.plugin;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.v1.CancelSwapRequest;
import io.enipam.v1.DropPluginEffectRequest;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListCommandsReply;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListPluginBallotsReply;
import io.enipam.v1.ListPluginBallotsRequest;
import io.enipam.v1.ListPluginEffectsReply;
import io.enipam.v1.ListPluginEffectsRequest;
import io.enipam.v1.ListPluginGrantsReply;
import io.enipam.v1.ListPluginGrantsRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginBallot;
import io.enipam.v1.PluginEffect;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.ReloadPluginRequest;
import io.enipam.v1.RetryPluginEffectsRequest;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyReply;
import io.enipam.v1.SwapPolicyRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "plugin",
        description = "Plugins: policies, factories, diagnostics.",
        subcommands = {
            PluginCommands.ListAll.class,
            PluginCommands.Info.class,
            PluginCommands.Effects.class,
            PluginCommands.Ballots.class,
            PluginCommands.Grants.class,
            PluginCommands.Swap.class,
            PluginCommands.Reload.class,
            PluginCommands.RunDiagnostic.class,
            PluginCommands.Help.class
        })
public final class PluginCommands {
    /** A factory may take 90 s to take over; the daemon's reason for giving up arrives before this is over. */
    private static final Duration TAKE_OVER = Duration.ofMinutes(2);

    private static final Duration ACT = Duration.ofSeconds(30);
    private static final Duration CANCEL = Duration.ofSeconds(10);

    private PluginCommands() {}

    @Command(name = "list", description = "All plugins: their state, what they bring, how calls fare.")
    public static final class ListAll extends ListCommand<Plugin> {
        @Override
        protected Listed<Plugin> listed() {
            return whole(
                            PluginViews.LIST,
                            stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()),
                            ListPluginsReply::getPluginsList)
                    .with(PluginViews::causes);
        }
    }

    @Command(name = "info", description = "One plugin: state and cause, settings, diagnostics, last failures.")
    public static final class Info extends DaemonCommand {
        @Completes(CompletionKind.PLUGINS)
        @Parameters(paramLabel = "ID", description = "The plugin's id; see: plugin list")
        String id = "";

        @Option(names = "--stack", description = "With the stack of what each failed call threw.")
        boolean stack;

        @Override
        public void run() {
            GetPluginRequest request =
                    GetPluginRequest.newBuilder().setId(id).setStacks(stack).build();
            show(
                    PluginNames.orNearest(this, id, PluginNames::ids, () -> inspect(stub -> stub.getPlugin(request))),
                    (reply, look) -> PluginViews.one(reply.getPlugin(), look),
                    reply -> List.of(reply.getPlugin().getId()));
        }
    }

    @Command(name = "effects", description = "What extensions have still to do outside.")
    public static final class Effects extends ControlCommand {
        private static final String RETRY = "retry";
        private static final String DROP = "drop";

        @Completes(CompletionKind.PLUGINS)
        @Parameters(index = "0", paramLabel = "ID", description = "The plugin's id; see: plugin list")
        String id = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "ACTION",
                completionCandidates = Actions.class,
                description = "retry: now; drop: never.")
        String action = "";

        @Completes(CompletionKind.EFFECTS)
        @Parameters(index = "2", arity = "0..1", paramLabel = "EFFECT", description = "The effect; for retry, all.")
        String effect = "";

        @Mixin
        ListOptions view = new ListOptions();

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        /** For TAB. */
        static final class Actions extends ArrayList<String> {
            private static final long serialVersionUID = 1L;

            Actions() {
                super(List.of(RETRY, DROP));
            }
        }

        @Override
        public boolean changes() {
            return !action.isEmpty();
        }

        @Override
        public boolean needsControl() {
            return changes();
        }

        @Override
        public boolean needsConfirmation() {
            return action.equals(DROP) && !consent.yes;
        }

        @Override
        public void prepare() {
            if (!List.of("", RETRY, DROP).contains(action)) {
                throw ShellException.usage("'" + action + "' is no action", "It is retry or drop");
            }
            if (action.equals(DROP) && effect.isEmpty()) {
                throw ShellException.usage("drop which effect?", "See: plugin effects " + id);
            }
            if (changes()) {
                view.refuse(this, "plugin effects ID " + action, "Leave out the action, or it");
            }
            view.check(PluginViews.EFFECTS);
        }

        @Override
        public Optional<ListRequest> lists() {
            return Optional.of(new ListRequest(view, PluginViews.EFFECTS));
        }

        @Override
        public void run() {
            switch (action) {
                case RETRY ->
                    show(
                            control(
                                    ACT,
                                    stub -> stub.retryPluginEffects(RetryPluginEffectsRequest.newBuilder()
                                            .setPlugin(id)
                                            .setEffect(effect)
                                            .build())),
                            (reply, look) -> List.of(reply.getRetried() + " tried again"),
                            reply -> List.of());
                case DROP -> drop();
                default -> new ListPrinter<>(this, view, new Listed<>(PluginViews.EFFECTS, this::listed)).run();
            }
        }

        private void drop() {
            String question = "Drop effect " + effect + "? What it was to do outside is not done.";
            if (consent.given(session, () -> question)) {
                show(
                        control(
                                ACT,
                                stub -> stub.dropPluginEffect(DropPluginEffectRequest.newBuilder()
                                        .setPlugin(id)
                                        .setEffect(effect)
                                        .build())),
                        (reply, look) -> List.of("dropped " + reply.getEffect().getHandler() + " "
                                + reply.getEffect().getToken()),
                        reply -> List.of(reply.getEffect().getId()));
            }
        }

        private ListReply<PluginEffect> listed() {
            ListPluginEffectsRequest request =
                    ListPluginEffectsRequest.newBuilder().setPlugin(id).build();
            ListPluginEffectsReply reply = PluginNames.orNearest(
                    this, id, PluginNames::ids, () -> inspect(stub -> stub.listPluginEffects(request)));
            return ListReply.of(reply, reply.getEffectsList());
        }
    }

    @Command(name = "ballots", description = "What voters say of the claims that are on a ballot.")
    public static final class Ballots extends ListCommand<PluginBallot> {
        @Completes(CompletionKind.BALLOTS)
        @Parameters(arity = "0..1", paramLabel = "NAME", description = "The ballot; all without it.")
        String name = "";

        @Override
        protected Listed<PluginBallot> listed() {
            ListPluginBallotsRequest request =
                    ListPluginBallotsRequest.newBuilder().setBallot(name).build();
            return parts(
                    PluginViews.BALLOTS,
                    stub -> stub.listPluginBallots(request),
                    ListPluginBallotsReply::getClaimsList);
        }
    }

    @Command(name = "grants", description = "What allocators of plugins have granted, and to whom.")
    public static final class Grants extends ListCommand<PluginGrant> {
        @Completes(CompletionKind.ALLOCATORS)
        @Parameters(
                arity = "0..1",
                paramLabel = "EXTENSION",
                description = "Only of this one; see: plugin list -o wide")
        String extension = "";

        @Override
        protected Listed<PluginGrant> listed() {
            ListPluginGrantsRequest request =
                    ListPluginGrantsRequest.newBuilder().setExtension(extension).build();
            return parts(GrantViews.LIST, stub -> stub.listPluginGrants(request), ListPluginGrantsReply::getGrantsList);
        }
    }

    @Command(name = "run", description = "Run one of a plugin's diagnostics; it changes nothing.")
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

        @Override
        public void prepare() {
            byName(parameters, "window=10m");
        }

        @Override
        public void run() {
            Map<String, String> arguments = byName(parameters, "window=10m");
            RunDiagnosticRequest.Builder request =
                    RunDiagnosticRequest.newBuilder().setPlugin(id).setName(diagnostic);
            request.putAllArguments(arguments);
            try {
                show(
                        inspect(stub -> stub.runDiagnostic(request.build())),
                        PluginViews::diagnostic,
                        RunDiagnostic::names);
            } catch (ShellException refusal) {
                throw explained(refusal, arguments).orElse(refusal);
            }
        }

        /** The values of the first column, where a diagnostic names its subjects. */
        private static List<String> names(RunDiagnosticReply reply) {
            return reply.getRowsList().stream()
                    .filter(row -> row.getCellsCount() > 0)
                    .map(row -> row.getCells(0))
                    .toList();
        }

        /** The first name that is not known explains a refusal: the plugin's, the diagnostic's, a parameter's. */
        private Optional<ShellException> explained(ShellException refusal, Map<String, String> arguments) {
            return PluginNames.explained(this, refusal, id, PluginNames::ids)
                    .or(() -> PluginNames.explained(this, refusal, diagnostic, all -> all.diagnostics(id)))
                    .or(() -> arguments.keySet().stream()
                            .map(name ->
                                    PluginNames.explained(this, refusal, name, all -> all.parameters(id, diagnostic)))
                            .flatMap(Optional::stream)
                            .findFirst());
        }
    }

    @Command(name = "reload", description = "Load a plugin from its replaced jar, without a restart.")
    public static final class Reload extends ControlCommand {
        @Completes(CompletionKind.PLUGINS)
        @Parameters(paramLabel = "ID", description = "The plugin's id; see: plugin list")
        String id = "";

        @Override
        public void run() {
            ReloadPluginRequest request =
                    ReloadPluginRequest.newBuilder().setId(id).build();
            show(
                    PluginNames.orNearest(
                            this, id, PluginNames::ids, () -> control(TAKE_OVER, stub -> stub.reloadPlugin(request))),
                    (reply, look) -> PluginViews.reload(reply),
                    reply -> List.of(reply.getId()));
        }
    }

    @Command(name = "help", description = "How each of the commands is used that plugins bring.")
    public static final class Help extends DaemonCommand {
        @Completes(CompletionKind.PLUGINS)
        @Parameters(arity = "0..1", paramLabel = "ID", description = "Only of this plugin; see: plugin list")
        String id = "";

        @Override
        public void run() {
            ListCommandsReply all = inspect(stub -> stub.listCommands(ListCommandsRequest.getDefaultInstance()));
            ListCommandsReply its = ListCommandsReply.newBuilder()
                    .addAllCommands(all.getCommandsList().stream()
                            .filter(command ->
                                    id.isEmpty() || command.getPlugin().equals(id))
                            .toList())
                    .build();
            if (its.getCommandsCount() == 0 && !id.isEmpty()) {
                inspect(stub ->
                        stub.getPlugin(GetPluginRequest.newBuilder().setId(id).build())); // says if there is none
            }
            show(
                    its,
                    (reply, look) -> usage(reply),
                    reply -> reply.getCommandsList().stream()
                            .map(command -> String.join(" ", command.getPathList()))
                            .toList());
        }

        private List<String> usage(ListCommandsReply reply) {
            List<String> lines = new ArrayList<>();
            PluginNouns.of(reply.getCommandsList(), session).forEach((noun, line) -> {
                CommandLine root =
                        Grammar.parser(CommandSpec.create().name("enipam")).addSubcommand(noun, line);
                Grammar.leaves(root).values().forEach(leaf -> {
                    lines.addAll(lines.isEmpty() ? List.of() : List.of(""));
                    lines.addAll(leaf.getUsageMessage(CommandLine.Help.Ansi.OFF)
                            .lines()
                            .toList());
                });
            });
            return lines.isEmpty() ? List.of("no commands: no extension runs that brings one") : lines;
        }
    }

    @Command(
            name = "swap",
            description = "Put another policy or factory in force.",
            subcommands = {Policy.class, Factory.class, Cancel.class})
    static final class Swap {}

    /** Puts a policy in force, or asks whether that could be done. */
    abstract static class PolicySwap extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say whether it could be done.")
        boolean dryRun;

        @Option(
                names = {"-y", "--yes"},
                description = "Accepted as for a factory; nothing is asked.")
        boolean yes;

        @Override
        public boolean changes() {
            return !dryRun;
        }

        final void swapTo(String name) {
            SwapPolicyRequest.Builder request = SwapPolicyRequest.newBuilder().setName(name);
            Supplier<SwapPolicyReply> swap = () -> control(
                    TAKE_OVER, stub -> stub.swapPolicy(request.setDryRun(dryRun).build()));
            show(
                    PluginNames.orNearest(this, name, PluginNames::policies, swap),
                    (reply, look) -> PluginViews.policySwap(reply, dryRun),
                    reply -> List.of(reply.getTo()));
        }
    }

    @Command(name = "policy", description = "Put another pool policy in force, at once.")
    public static final class Policy extends PolicySwap {
        @Completes(CompletionKind.POLICIES)
        @Parameters(paramLabel = "NAME", description = "The policy; see: plugin list")
        String name = "";

        @Override
        public void run() {
            swapTo(name);
        }
    }

    @Command(name = "cancel", description = "Cancel the swap that is under way; what is in force stays.")
    public static final class Cancel extends ControlCommand {
        @Override
        public void run() {
            show(
                    control(CANCEL, stub -> stub.cancelSwap(CancelSwapRequest.getDefaultInstance())),
                    (reply, look) -> List.of(PluginViews.cancelled(reply)),
                    reply -> reply.getCancelled().isEmpty() ? List.of() : List.of(reply.getCancelled()));
        }
    }

    @Command(name = "policy", description = "The policies there are, or put another one in force.")
    public static final class PoolPolicy extends PolicySwap {
        @Completes(CompletionKind.POLICIES)
        @Parameters(arity = "0..1", paramLabel = "NAME", description = "The policy to put in force.")
        String name = "";

        @Mixin
        ListOptions view = new ListOptions();

        @Override
        public boolean changes() {
            return super.changes() && !name.isEmpty();
        }

        @Override
        public void prepare() {
            if (dryRun && name.isEmpty()) {
                String hint = "Name the policy, as in: pool policy watermark --dry-run";
                throw ShellException.usage("--dry-run of what?", hint);
            }
            if (!name.isEmpty()) {
                view.refuse(this, "pool policy NAME", "Leave out the name, or it");
            }
            view.check(PluginViews.POLICIES);
        }

        @Override
        public Optional<ListRequest> lists() {
            return Optional.of(new ListRequest(view, PluginViews.POLICIES));
        }

        @Override
        public void run() {
            if (name.isEmpty()) {
                new ListPrinter<>(this, view, new Listed<>(PluginViews.POLICIES, this::listed)).run();
            } else {
                swapTo(name);
            }
        }

        private ListReply<Plugin> listed() {
            ListPluginsReply reply = inspect(stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()));
            return ListReply.of(reply, PluginViews.byPolicy(reply));
        }
    }

    @Command(name = "factory", description = "Make another factory the one that makes addresses.")
    public static final class Factory extends PreviewedCommand<SwapFactoryReply> {
        @Completes(CompletionKind.FACTORIES)
        @Parameters(paramLabel = "NAME", description = "The factory; see: plugin list")
        String name = "";

        @Override
        protected SwapFactoryReply ask(boolean dry) {
            SwapFactoryRequest.Builder request =
                    SwapFactoryRequest.newBuilder().setName(name).setDryRun(dry);
            Supplier<SwapFactoryReply> swap = () -> control(TAKE_OVER, stub -> stub.swapFactory(request.build()));
            return PluginNames.orNearest(this, name, PluginNames::factories, swap);
        }

        @Override
        protected Optional<String> question(SwapFactoryReply preview) {
            return Optional.of("Make " + name + " the factory? " + preview.getFrom() + " leaves: "
                    + PluginViews.leaving(preview) + ".");
        }

        @Override
        protected void show(SwapFactoryReply reply) {
            show(reply, (r, look) -> PluginViews.factorySwap(r, dryRun), r -> List.of(r.getTo()));
        }
    }
}

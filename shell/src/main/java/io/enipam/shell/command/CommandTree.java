package io.enipam.shell.command;

import io.enipam.shell.render.Palette;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The grammar: which commands there are. A tree is built anew for each run, since picocli keeps the values of the last
 * run in it, and holds only the command asked for where that is known, since building all of it takes longer than
 * running any of it.
 */
public final class CommandTree {
    private static final Map<String, Function<Session, CommandLine>> COMMANDS = commands();

    private CommandTree() {}

    private static Map<String, Function<Session, CommandLine>> commands() {
        Map<String, Function<Session, CommandLine>> all = new LinkedHashMap<>();
        all.put("status", s -> new CommandLine(new NodeCommands.Status(s)));
        all.put("version", s -> new CommandLine(new NodeCommands.Version(s)));
        all.put("config", s -> group("config", "The configuration.", new NodeCommands.ConfigShow(s)));
        all.put(
                "pool",
                s -> group(
                        "pool",
                        "The pool of addresses.",
                        new PoolCommands.Show(s),
                        new PoolCommands.Idle(s),
                        new PoolCommands.InUse(s),
                        new PoolCommands.Sync(s),
                        new SwapCommands.PoolPolicy(s)));
        all.put(
                "eni",
                s -> group(
                        "eni",
                        "The node's ENIs.",
                        new EniCommands.ListAll(s),
                        new EniCommands.Show(s),
                        new EniCommands.Sweep(s)));
        all.put(
                "ecs",
                s -> group(
                        "ecs",
                        "What this node asks of the cloud.",
                        new EcsCommands.Calls(s),
                        new EcsCommands.Budget(s)));
        all.put(
                "pod",
                s -> group(
                        "pod",
                        "The node's pods.",
                        new PodCommands.ListAll(s),
                        new PodCommands.Show(s),
                        new PodCommands.Delete(s)));
        all.put(
                "cni",
                s -> group(
                        "cni", "What a container runtime asks for.", new CniCommands.Add(s), new CniCommands.Del(s)));
        all.put("gc", s -> group("gc", "Garbage collection.", new GcCommands.Run(s), new GcCommands.Status(s)));
        all.put(
                "db",
                s -> group(
                        "db",
                        "The resource database.",
                        new DbCommands.Dump(s),
                        new DbCommands.Get(s),
                        new DbToolCommands.Verify(s),
                        new DbToolCommands.Backup(s),
                        new DbRestoreCommands.Restore(s),
                        new DbToolCommands.Export(s),
                        new DbRestoreCommands.Import(s),
                        new DbToolCommands.Compact(s)));
        all.put(
                "plugin",
                s -> group(
                        "plugin",
                        "Plugins: policies, factories, diagnostics.",
                        new PluginCommands.ListAll(s),
                        new PluginCommands.Info(s),
                        group(
                                "swap",
                                "Put another policy or factory in force.",
                                new SwapCommands.Policy(s),
                                new SwapCommands.Factory(s)),
                        new PluginCommands.RunDiagnostic(s)));
        all.put(
                "cloud",
                s -> group(
                        "cloud",
                        "The emulated cloud behind a sandbox: what goes wrong in it.",
                        group(
                                "fault",
                                "Calls to the cloud that go wrong.",
                                new CloudFaultCommands.ListAll(s),
                                new CloudFaultCommands.Add(s),
                                new CloudFaultCommands.Remove(s)),
                        new CloudCommands.Latency(s),
                        new CloudCommands.Throttle(s),
                        new CloudCommands.Reset(s),
                        new CloudCommands.Detach(s),
                        new CloudCommands.TakeIp(s),
                        new CloudCommands.Stick(s),
                        new CloudCommands.Release(s),
                        new CloudCommands.Expire(s),
                        new CloudCommands.Skew(s)));
        all.put("events", s -> new CommandLine(new EventsCommand(s)));
        all.put("run", s -> new CommandLine(new RunbookCommands.Run(s)));
        all.put("runbook", s -> group("runbook", "Runbooks: files of commands.", new RunbookCommands.Check(s)));
        all.put("help", s -> new CommandLine(new HelpCommand(s)));
        all.put("history", s -> new CommandLine(new SessionCommands.History(s)));
        all.put("exit", s -> new CommandLine(new SessionCommands.Leave(s)));
        return all;
    }

    /** The whole grammar. */
    public static CommandLine all(Session session) {
        CommandLine root = new CommandLine(new Root());
        COMMANDS.forEach((name, build) -> root.addSubcommand(name, build.apply(session)));
        return configured(root, session);
    }

    /** As much of the grammar as is needed for a command that begins with this word: all of it if there is none. */
    static CommandLine of(Session session, String word) {
        Function<Session, CommandLine> build = COMMANDS.get(word);
        return build == null
                ? all(session)
                : configured(new CommandLine(new Root()).addSubcommand(word, build.apply(session)), session);
    }

    private static CommandLine group(String name, String description, Object... commands) {
        CommandLine group = new CommandLine(new Group());
        group.getCommandSpec().name(name).usageMessage().description(description);
        for (Object command : commands) {
            group.addSubcommand(command);
        }
        return group;
    }

    static CommandLine configured(CommandLine root, Session session) {
        root.setColorScheme(
                Help.defaultColorScheme(session.screen().outPalette() == Palette.COLOUR ? Ansi.ON : Ansi.OFF));
        footers(root);
        return root;
    }

    private static void footers(CommandLine command) {
        if (command.getCommandSpec().usageMessage().footer().length > 0) {
            command.getCommandSpec().usageMessage().footerHeading("%nExample:%n");
        }
        command.getSubcommands().values().forEach(CommandTree::footers);
    }

    @Command(name = "enipam", description = "The ENI IPAM of this node.")
    private static final class Root {}

    /** A word that means nothing without the next one. */
    @Command
    static final class Group implements Runnable {
        @Spec
        CommandSpec spec;

        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Say what there is.")
        boolean help;

        @Override
        public void run() {
            throw new ParameterException(
                    spec.commandLine(),
                    "which one? " + CommandRunner.nameOf(spec) + " takes "
                            + String.join(", ", spec.subcommands().keySet()));
        }
    }
}

package io.enipam.shell;

import io.enipam.shell.bundle.SupportBundleCommand;
import io.enipam.shell.cloud.CloudCommands;
import io.enipam.shell.cloud.CloudFaultCommands;
import io.enipam.shell.cloud.EcsCommands;
import io.enipam.shell.cni.CniCommands;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.db.DbCommands;
import io.enipam.shell.db.DbRestoreCommands;
import io.enipam.shell.doctor.DoctorCommand;
import io.enipam.shell.eni.EniCommands;
import io.enipam.shell.event.EventsCommand;
import io.enipam.shell.explain.ExplainCommands;
import io.enipam.shell.gc.GcCommands;
import io.enipam.shell.help.HelpCommand;
import io.enipam.shell.help.HelpGuide;
import io.enipam.shell.plugin.PluginCommands;
import io.enipam.shell.pod.PodCommands;
import io.enipam.shell.pool.PoolCommands;
import io.enipam.shell.repl.SessionCommands;
import io.enipam.shell.runbook.RunCommand;
import io.enipam.shell.runbook.RunbookCommands;
import io.enipam.shell.status.NodeCommands;
import io.enipam.shell.status.TopCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The grammar: which commands there are. A tree is built anew for each run, since picocli keeps the values of the last
 * run in it, and holds only the command asked for where that is known, since building all of it takes longer than
 * running any of it.
 */
public final class CommandTree {
    private static final Map<String, Supplier<Object>> COMMANDS = commands();

    private CommandTree() {}

    private static Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("status", NodeCommands.Status::new);
        all.put("explain", ExplainCommands.Explain::new);
        all.put("version", NodeCommands.Version::new);
        all.put("config", () -> group("config", "The configuration.", new NodeCommands.ConfigShow()));
        all.put(
                "pool",
                () -> group(
                        "pool",
                        "The pool of addresses.",
                        new PoolCommands.Show(),
                        new PoolCommands.Idle(),
                        new PoolCommands.InUse(),
                        new PoolCommands.History(),
                        new PoolCommands.Warm(),
                        new PoolCommands.Drain(),
                        new PoolCommands.Sync(),
                        new PluginCommands.PoolPolicy()));
        all.put(
                "eni",
                () -> group(
                        "eni",
                        "The node's ENIs.",
                        new EniCommands.ListAll(),
                        new EniCommands.Show(),
                        new EniCommands.Sweep()));
        all.put(
                "ecs",
                () -> group(
                        "ecs", "What this node asks of the cloud.", new EcsCommands.Calls(), new EcsCommands.Budget()));
        all.put(
                "pod",
                () -> group(
                        "pod",
                        "The node's pods.",
                        new PodCommands.ListAll(),
                        new PodCommands.Show(),
                        new PodCommands.Delete()));
        all.put(
                "cni",
                () -> group(
                        "cni",
                        "What a container runtime asks for.",
                        new CniCommands.Add(),
                        new CniCommands.Del(),
                        new CniCommands.Check(),
                        new CniCommands.Status(),
                        new CniCommands.Gc()));
        all.put("gc", () -> group("gc", "Garbage collection.", new GcCommands.Run(), new GcCommands.Status()));
        all.put(
                "db",
                () -> group(
                        "db",
                        "The resource database.",
                        new DbCommands.Dump(),
                        new DbCommands.Get(),
                        new DbCommands.Verify(),
                        new DbCommands.Backup(),
                        new DbRestoreCommands.Restore(),
                        new DbCommands.Export(),
                        new DbRestoreCommands.Import(),
                        new DbCommands.Compact()));
        all.put(
                "plugin",
                () -> group(
                        "plugin",
                        "Plugins: policies, factories, diagnostics.",
                        new PluginCommands.ListAll(),
                        new PluginCommands.Info(),
                        group(
                                "swap",
                                "Put another policy or factory in force.",
                                new PluginCommands.Policy(),
                                new PluginCommands.Factory()),
                        new PluginCommands.RunDiagnostic()));
        all.put(
                "cloud",
                () -> group(
                        "cloud",
                        "The emulated cloud behind a sandbox: what goes wrong in it.",
                        group(
                                "fault",
                                "Calls to the cloud that go wrong.",
                                new CloudFaultCommands.ListAll(),
                                new CloudFaultCommands.Add(),
                                new CloudFaultCommands.Remove()),
                        new CloudCommands.Latency(),
                        new CloudCommands.Throttle(),
                        new CloudCommands.Reset(),
                        new CloudCommands.Detach(),
                        new CloudCommands.TakeIp(),
                        new CloudCommands.Stick(),
                        new CloudCommands.Release(),
                        new CloudCommands.Expire(),
                        new CloudCommands.Skew()));
        all.put("log", NodeCommands.Log::new);
        all.put("support-bundle", SupportBundleCommand::new);
        all.put("top", TopCommand::new);
        all.put("doctor", DoctorCommand::new);
        all.put("events", EventsCommand::new);
        all.put("trace", ExplainCommands.Trace::new);
        all.put("run", RunCommand::new);
        all.put(
                "runbook",
                () -> group(
                        "runbook",
                        "Runbooks: files of commands.",
                        new RunbookCommands.ListAll(),
                        new RunbookCommands.Show(),
                        new RunbookCommands.Check()));
        all.put("help", HelpCommand::new);
        all.put("history", SessionCommands.History::new);
        all.put("exit", SessionCommands.Leave::new);
        return all;
    }

    /** The whole grammar. */
    public static CommandLine all(Session session) {
        CommandLine root = Grammar.parser(new Root());
        COMMANDS.forEach((name, build) -> root.addSubcommand(name, line(build.get(), List.of(), session)));
        return HelpGuide.configured(root, session);
    }

    /** As much of the grammar as is needed for a command that begins with these words: all of it if they name none. */
    public static CommandLine of(Session session, List<String> words) {
        Supplier<Object> build = words.isEmpty() ? null : COMMANDS.get(words.get(0));
        if (build == null) {
            return all(session);
        }
        CommandLine root = Grammar.parser(new Root())
                .addSubcommand(words.get(0), line(build.get(), words.subList(1, words.size()), session));
        // what help would say is looked up for somebody who asks for it alone
        return words.contains("-h") || words.contains("--help") ? HelpGuide.configured(root, session) : root;
    }

    private static Branch group(String name, String description, Object... commands) {
        return new Branch(name, description, List.of(commands));
    }

    /** @param words what was typed after it; empty for all that is below it */
    private static CommandLine line(Object command, List<String> words, Session session) {
        if (command instanceof Branch branch) {
            return branch.line(words, session);
        }
        if (command instanceof ShellCommand leaf) {
            leaf.runIn(session);
        }
        return command instanceof CommandLine whole ? whole : Grammar.parser(command);
    }

    /**
     * A word with commands below it, which picocli has not looked at yet: that takes it a millisecond for each.
     *
     * @param commands commands and further branches
     */
    private record Branch(String name, String description, List<Object> commands) {
        CommandLine line(List<String> words, Session session) {
            CommandLine group = Grammar.parser(new Grammar.Group());
            group.getCommandSpec().name(name).usageMessage().description(description);
            List<Object> named = words.isEmpty()
                    ? List.of()
                    : commands.stream()
                            .filter(command -> nameOf(command).equals(words.get(0)))
                            .toList();
            List<String> rest = named.isEmpty() ? List.of() : words.subList(1, words.size());
            for (Object command : named.isEmpty() ? commands : named) {
                group.addSubcommand(nameOf(command), CommandTree.line(command, rest, session));
            }
            return group;
        }

        private static String nameOf(Object command) {
            return command instanceof Branch branch
                    ? branch.name
                    : command.getClass().getAnnotation(Command.class).name();
        }
    }

    @Command(name = "enipam", description = "The ENI IPAM of this node.")
    private static final class Root {}
}

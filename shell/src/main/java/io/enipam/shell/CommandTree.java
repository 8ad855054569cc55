package io.enipam.shell;

import io.enipam.shell.bundle.SupportBundleCommand;
import io.enipam.shell.cloud.CloudCommands;
import io.enipam.shell.cloud.CloudFaultCommands;
import io.enipam.shell.cloud.EcsCommands;
import io.enipam.shell.cni.CniCheckCommands;
import io.enipam.shell.cni.CniCommands;
import io.enipam.shell.cni.CniGcCommand;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Session;
import io.enipam.shell.db.DbCommands;
import io.enipam.shell.db.DbRestoreCommands;
import io.enipam.shell.db.DbToolCommands;
import io.enipam.shell.doctor.DoctorCommand;
import io.enipam.shell.eni.EniCommands;
import io.enipam.shell.event.EventsCommand;
import io.enipam.shell.explain.ExplainCommand;
import io.enipam.shell.explain.TraceCommand;
import io.enipam.shell.gc.GcCommands;
import io.enipam.shell.help.HelpCommand;
import io.enipam.shell.help.HelpGuide;
import io.enipam.shell.plugin.PluginCommands;
import io.enipam.shell.plugin.SwapCommands;
import io.enipam.shell.pod.PodCommands;
import io.enipam.shell.pool.CapacityOverrideCommands;
import io.enipam.shell.pool.PoolCommands;
import io.enipam.shell.pool.PoolHistoryCommand;
import io.enipam.shell.repl.SessionCommands;
import io.enipam.shell.runbook.RunCommand;
import io.enipam.shell.runbook.RunbookCommands;
import io.enipam.shell.status.LogCommand;
import io.enipam.shell.status.NodeCommands;
import io.enipam.shell.status.TopCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The commands. A tree is built for each run, since picocli keeps the values of a run in it, and holds only the command
 * asked for where that is known: building all of it takes longer than running any of it.
 */
public final class CommandTree {
    private static final Map<String, Function<Session, Object>> COMMANDS = commands();

    private CommandTree() {}

    private static Map<String, Function<Session, Object>> commands() {
        Map<String, Function<Session, Object>> all = new LinkedHashMap<>();
        all.put("status", s -> new NodeCommands.Status(s));
        all.put("explain", s -> new ExplainCommand(s));
        all.put("version", s -> new NodeCommands.Version(s));
        all.put("config", s -> group("config", "The configuration.", new NodeCommands.ConfigShow(s)));
        all.put(
                "pool",
                s -> group(
                        "pool",
                        "The pool of addresses.",
                        new PoolCommands.Show(s),
                        new PoolCommands.Idle(s),
                        new PoolCommands.InUse(s),
                        new PoolHistoryCommand(s),
                        new CapacityOverrideCommands.Warm(s),
                        new CapacityOverrideCommands.Drain(s),
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
                        "cni",
                        "What a container runtime asks for.",
                        new CniCommands.Add(s),
                        new CniCommands.Del(s),
                        new CniCheckCommands.Check(s),
                        new CniCheckCommands.Status(s),
                        new CniGcCommand(s)));
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
        all.put("log", s -> new LogCommand(s));
        all.put("support-bundle", s -> new SupportBundleCommand(s));
        all.put("top", s -> new TopCommand(s));
        all.put("doctor", s -> new DoctorCommand(s));
        all.put("events", s -> new EventsCommand(s));
        all.put("trace", s -> new TraceCommand(s));
        all.put("run", s -> new RunCommand(s));
        all.put(
                "runbook",
                s -> group(
                        "runbook",
                        "Runbooks: files of commands.",
                        new RunbookCommands.ListAll(s),
                        new RunbookCommands.Show(s),
                        new RunbookCommands.Check(s)));
        all.put("help", s -> new HelpCommand(s));
        all.put("history", s -> new SessionCommands.History(s));
        all.put("exit", s -> new SessionCommands.Leave(s));
        return all;
    }

    /** The whole grammar. */
    public static CommandLine all(Session session) {
        CommandLine root = Grammar.parser(new Root());
        COMMANDS.forEach((name, build) -> root.addSubcommand(name, line(build.apply(session), List.of())));
        return HelpGuide.configured(root, session);
    }

    /** As much of the grammar as is needed for a command that begins with these words: all of it if they name none. */
    public static CommandLine of(Session session, List<String> words) {
        Function<Session, Object> build = words.isEmpty() ? null : COMMANDS.get(words.get(0));
        if (build == null) {
            return all(session);
        }
        CommandLine root = Grammar.parser(new Root())
                .addSubcommand(words.get(0), line(build.apply(session), words.subList(1, words.size())));
        // what help would say is looked up only where it is asked for
        return words.contains("-h") || words.contains("--help") ? HelpGuide.configured(root, session) : root;
    }

    private static Branch group(String name, String description, Object... commands) {
        return new Branch(name, description, List.of(commands));
    }

    /** @param words what was typed after it; empty for all that is below it */
    private static CommandLine line(Object command, List<String> words) {
        if (command instanceof Branch branch) {
            return branch.line(words);
        }
        return command instanceof CommandLine whole ? whole : Grammar.parser(command);
    }

    /**
     * A word with commands or further branches below it, at which picocli has not looked yet: that takes a millisecond
     * for each.
     */
    private record Branch(String name, String description, List<Object> commands) {
        CommandLine line(List<String> words) {
            CommandLine group = Grammar.parser(new Grammar.Group());
            group.getCommandSpec().name(name).usageMessage().description(description);
            List<Object> named = words.isEmpty()
                    ? List.of()
                    : commands.stream()
                            .filter(command -> nameOf(command).equals(words.get(0)))
                            .toList();
            List<String> rest = named.isEmpty() ? List.of() : words.subList(1, words.size());
            for (Object command : named.isEmpty() ? commands : named) {
                group.addSubcommand(nameOf(command), CommandTree.line(command, rest));
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

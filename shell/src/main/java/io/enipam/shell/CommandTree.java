package io.enipam.shell;

import io.enipam.shell.audit.AuditCommand;
import io.enipam.shell.bundle.SupportBundleCommand;
import io.enipam.shell.cloud.CloudCommands;
import io.enipam.shell.cloud.EcsCommands;
import io.enipam.shell.cni.CniCommands;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.db.DbCommands;
import io.enipam.shell.doctor.DoctorCommand;
import io.enipam.shell.eni.EniCommands;
import io.enipam.shell.event.EventsCommand;
import io.enipam.shell.explain.ExplainCommands;
import io.enipam.shell.gc.GcCommands;
import io.enipam.shell.help.HelpCommand;
import io.enipam.shell.help.HelpGuide;
import io.enipam.shell.lab.LabCommands;
import io.enipam.shell.lease.DiffCommand;
import io.enipam.shell.lease.LeaseCommands;
import io.enipam.shell.pipe.Filter;
import io.enipam.shell.plugin.PluginCommands;
import io.enipam.shell.plugin.PluginNouns;
import io.enipam.shell.pod.PodCommands;
import io.enipam.shell.pool.PoolCommands;
import io.enipam.shell.repl.AtCommand;
import io.enipam.shell.repl.SessionCommands;
import io.enipam.shell.repl.WatchCommand;
import io.enipam.shell.runbook.RunCommand;
import io.enipam.shell.runbook.RunbookCommands;
import io.enipam.shell.status.NodeCommands;
import io.enipam.shell.status.TopCommand;
import io.enipam.v1.PluginCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The grammar: which commands there are. A tree is built anew for each run, since picocli keeps the last run's values in it,
 * with only the command asked for where that is known: picocli takes a millisecond for each, longer than running one.
 */
public final class CommandTree {
    private static final Map<String, Supplier<Class<?>>> COMMANDS = commands();

    private CommandTree() {}

    /** By the first word, in the order of help. The classes are loaded as they are needed. */
    private static Map<String, Supplier<Class<?>>> commands() {
        Map<String, Supplier<Class<?>>> all = new LinkedHashMap<>();
        all.put("status", () -> NodeCommands.Status.class);
        all.put("explain", () -> ExplainCommands.Explain.class);
        all.put("who", () -> LeaseCommands.Who.class);
        all.put("lease", () -> LeaseCommands.class);
        all.put("diff", () -> DiffCommand.class);
        all.put("version", () -> NodeCommands.Version.class);
        all.put("config", () -> NodeCommands.Config.class);
        all.put("pool", () -> PoolCommands.class);
        all.put("eni", () -> EniCommands.class);
        all.put("ecs", () -> EcsCommands.class);
        all.put("pod", () -> PodCommands.class);
        all.put("cni", () -> CniCommands.class);
        all.put("gc", () -> GcCommands.class);
        all.put("db", () -> DbCommands.class);
        all.put("plugin", () -> PluginCommands.class);
        all.put("lab", () -> LabCommands.class);
        all.put("cloud", () -> CloudCommands.class);
        all.put("log", () -> NodeCommands.Log.class);
        all.put("support-bundle", () -> SupportBundleCommand.class);
        all.put("top", () -> TopCommand.class);
        all.put("doctor", () -> DoctorCommand.class);
        all.put("events", () -> EventsCommand.class);
        all.put("audit", () -> AuditCommand.class);
        all.put("trace", () -> ExplainCommands.Trace.class);
        all.put("run", () -> RunCommand.class);
        all.put("runbook", () -> RunbookCommands.class);
        all.put("help", () -> HelpCommand.class);
        all.put("history", () -> SessionCommands.History.class);
        all.put("at", () -> AtCommand.class);
        all.put("use", () -> SessionCommands.Use.class);
        all.put("watch", () -> WatchCommand.class);
        all.put("clear", () -> SessionCommands.Clear.class);
        all.put(CommandLineLexer.SYSTEM, () -> SessionCommands.SystemLine.class);
        all.put("exit", () -> SessionCommands.Leave.class);
        return all;
    }

    /** The first words that it has without any plugin, filters among them, since help knows those, too. */
    static Set<String> words() {
        return Stream.concat(COMMANDS.keySet().stream(), Filter.models().keySet().stream())
                .filter(word -> !word.equals(CommandLineLexer.SYSTEM)) // which is no word
                .collect(Collectors.toSet());
    }

    public static CommandLine all(Session session) {
        return all(session, session.pluginCommands());
    }

    private static CommandLine all(Session session, List<PluginCommand> ofPlugins) {
        CommandLine root = Grammar.parser(new Root());
        COMMANDS.forEach((name, command) -> {
            if (!name.equals(CommandLineLexer.SYSTEM)) { // a sign, which help and completion do not list
                root.addSubcommand(name, line(command.get(), List.of(), session));
            }
        });
        PluginNouns.of(ofPlugins, session).forEach((noun, line) -> {
            if (!COMMANDS.containsKey(noun)) {
                root.addSubcommand(noun, line);
            }
        });
        return HelpGuide.configured(root, session);
    }

    /** As much of the grammar as is needed for a command that begins with these words: all of it if they name none. */
    public static CommandLine of(Session session, List<String> words) {
        Supplier<Class<?>> command = words.isEmpty() ? null : COMMANDS.get(words.get(0));
        if (command == null) {
            return words.isEmpty() ? all(session) : ofPlugin(session, words.get(0));
        }
        CommandLine root = Grammar.parser(new Root())
                .addSubcommand(words.get(0), line(command.get(), words.subList(1, words.size()), session));
        // help texts are looked up only for a command that prints them
        boolean help = words.stream().anyMatch(word -> word.matches("-\\w*h\\w*|--help"));
        return help ? HelpGuide.configured(root, session) : root;
    }

    /** With the commands of a plugin that begin with this word; all of the grammar if there are none. */
    private static CommandLine ofPlugin(Session session, String noun) {
        CommandLine root = Grammar.parser(new Root());
        // a daemon that is asked later knows; a word that is nearly one of the shell's is a typing error
        if (session.detached() && ClosestMatch.to(noun, COMMANDS.keySet()).isEmpty() && PluginNouns.isNoun(noun)) {
            return root.addSubcommand(noun, PluginNouns.unknown(session));
        }
        List<PluginCommand> known = PluginNouns.isNoun(noun) ? session.pluginCommands() : List.of();
        CommandLine line = PluginNouns.of(known, session).get(noun);
        return line == null ? all(session, known) : HelpGuide.configured(root.addSubcommand(noun, line), session);
    }

    /** @param words what was typed after it; empty for all that is below it */
    private static CommandLine line(Class<?> type, List<String> words, Session session) {
        Command command = declared(type);
        if (command.subcommands().length == 0) {
            ShellCommand leaf = newInstance(type);
            leaf.runIn(session);
            return Grammar.parser(leaf).setStopAtPositional(leaf.takesCommand());
        }
        CommandLine group = Grammar.parser(new Grammar.Group());
        group.getCommandSpec().name(command.name()).usageMessage().description(command.description());
        List<Class<?>> all = List.of(command.subcommands());
        List<Class<?>> named = all.stream()
                .filter(below -> !words.isEmpty() && declared(below).name().equals(words.get(0)))
                .toList();
        List<String> rest = named.isEmpty() ? List.of() : words.subList(1, words.size());
        for (Class<?> below : named.isEmpty() ? all : named) {
            group.addSubcommand(declared(below).name(), line(below, rest, session));
        }
        return group;
    }

    private static Command declared(Class<?> command) {
        return command.getAnnotation(Command.class);
    }

    private static ShellCommand newInstance(Class<?> command) {
        try {
            return (ShellCommand) command.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(command + " cannot be made", e);
        }
    }

    @Command(name = "enipam", description = "The ENI IPAM of this node.")
    private static final class Root {}
}

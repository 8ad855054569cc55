package io.enipam.shell.help;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Prose;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.Tone;
import io.enipam.shell.core.UsageErrors;
import io.enipam.shell.pipe.Filter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Parameters;

@Command(name = "help", description = "All commands, how one of them is used, or a topic.")
public final class HelpCommand extends ShellCommand {
    private static final int WIDTH = 100;
    /** Below this even the names of the commands do not fit. */
    private static final int NARROWEST = 60;

    @Completes(CompletionKind.COMMANDS)
    @Parameters(arity = "0..*", paramLabel = "CMD", description = "The command, or a topic.")
    List<String> words = List.of();

    private @Nullable CommandLine found;
    private List<String[]> hits = List.of();

    @Override
    public void prepare() {
        found = named();
    }

    @Override
    public void run() {
        Optional<List<String>> topic = topic();
        if (topic.isPresent()) {
            print(fitting(topic.get()));
            return;
        }
        CommandLine command = found == null ? named() : found;
        if (!hits.isEmpty()) {
            List<String> lines = new ArrayList<>();
            int width = hits.stream().mapToInt(hit -> hit[0].length()).max().orElse(0);
            section("Where '" + words.get(0) + "' is spoken of", hits, width, lines);
            print(fitting(lines.subList(0, lines.size() - 1)));
            return;
        }
        if (words.isEmpty()) {
            print(fitting(overview(command)));
            return;
        }
        Ansi ansi = session.screen().outPalette() == Palette.COLOUR ? Ansi.ON : Ansi.OFF;
        List<String> usage = command.getUsageMessage(ansi).lines().toList();
        print(session.columns() == 0 ? usage : fitting(usage));
    }

    /** The command that the words name; all of them if there are no words. */
    private CommandLine named() {
        CommandLine command = session.commands(List.of());
        if (words.size() == 1 && Filter.models().containsKey(words.get(0))) {
            return HelpGuide.configured(Filter.models().get(words.get(0)), session);
        }
        if (topic().isPresent()) {
            return command;
        }
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null && words.size() == 1) {
                hits = hits(command, word.toLowerCase(Locale.ROOT));
                if (!hits.isEmpty()) {
                    return command;
                }
            }
            if (next == null && session.detached() && command.getParent() == null) {
                next = session.commands(List.of(word)).getSubcommands().get(word);
                if (next != null) {
                    return next; // a plugin's, which a daemon that is asked later may have
                }
            }
            if (next == null) {
                List<String> names = new ArrayList<>(command.getSubcommands().keySet());
                if (command.getParent() == null) {
                    names.addAll(HelpGuide.topics().keySet());
                }
                throw UsageErrors.unknown("command", word, names);
            }
            command = next;
        }
        return command;
    }

    /** The commands and topics whose help has this text, with what they are for. */
    private List<String[]> hits(CommandLine root, String text) {
        List<String[]> hits = new ArrayList<>();
        Grammar.leaves(root).forEach((name, command) -> {
            if (command.getUsageMessage(Ansi.OFF).toLowerCase(Locale.ROOT).contains(text)) {
                hits.add(new String[] {
                    name, command.getCommandSpec().usageMessage().description()[0]
                });
            }
        });
        HelpGuide.topics().forEach((name, line) -> {
            String all = String.join(
                    "\n", HelpGuide.topic(name, session.renderContext(0)).orElse(List.of()));
            if (all.toLowerCase(Locale.ROOT).contains(text)) {
                hits.add(new String[] {"help " + name, line});
            }
        });
        return hits;
    }

    private Optional<List<String>> topic() {
        return words.size() == 1 ? HelpGuide.topic(words.get(0), session.renderContext()) : Optional.empty();
    }

    private List<String> overview(CommandLine root) {
        Map<CommandGroup, List<String[]>> byPurpose = new EnumMap<>(CommandGroup.class);
        Grammar.leaves(root)
                .forEach((name, command) -> byPurpose
                        .computeIfAbsent(CommandGroup.of(name, command), purpose -> new ArrayList<>())
                        .add(new String[] {
                            name, command.getCommandSpec().usageMessage().description()[0]
                        }));
        List<String[]> topics = new ArrayList<>();
        HelpGuide.topics().forEach((name, line) -> topics.add(new String[] {"help " + name, line}));
        int width = Stream.concat(byPurpose.values().stream().flatMap(List::stream), topics.stream())
                .mapToInt(line -> line[0].length())
                .max()
                .orElse(0);
        List<String> lines = new ArrayList<>();
        byPurpose.forEach((purpose, commands) -> section(purpose.heading, commands, width, lines));
        section("More", topics, width, lines);
        lines.add("One command with an example: help CMD. Several on a line: CMD; CMD");
        return lines;
    }

    /** What is too long for one line ends with points: all of it is in the help of the command. */
    private static String cut(String text, int room) {
        return text.length() <= room ? text : text.substring(0, text.lastIndexOf(' ', room - 4)) + " ...";
    }

    private int room() {
        int columns = session.columns();
        return columns == 0 ? WIDTH : Math.max(NARROWEST, Math.min(WIDTH, columns));
    }

    /** Lines that are too long for the screen go on in the next one, as far to the right as they begin. */
    private List<String> fitting(List<String> lines) {
        return lines.stream()
                .flatMap(line -> Prose.wrapped(line, room(), Prose.indent(line)).stream())
                .toList();
    }

    private void section(String heading, List<String[]> entries, int width, List<String> lines) {
        lines.add(heading);
        for (String[] entry : entries) {
            lines.add("  " + session.screen().outPalette().paint(Tone.HEAD, entry[0])
                    + " ".repeat(width - entry[0].length()) + "  " + cut(entry[1], room() - width - 4));
        }
        lines.add("");
    }

    /** What a command is for: how the overview is grouped. The order is that of an operator who handles an incident. */
    private enum CommandGroup {
        LOOK("Look", List.of()),
        UNDERSTAND("Find out why", List.of("explain", "trace", "doctor", "top", "events", "log", "support-bundle")),
        CHANGE("Change", List.of()),
        DATABASE("The database", List.of("db")),
        PLUGINS("Plugins", List.of("plugin")),
        RUNBOOKS("Runbooks", List.of("run", "runbook")),
        LAB("The lab", List.of("lab")),
        CLOUD("The emulated cloud of a sandbox", List.of("cloud")),
        SHELL("This shell", List.of("help", "history", "use", "exit", "watch", "clear"));

        private final String heading;
        private final List<String> firstWords;

        CommandGroup(String heading, List<String> firstWords) {
            this.heading = heading;
            this.firstWords = firstWords;
        }

        /** That of a leaf: by its first word where that says it, else by whether it changes anything. */
        static CommandGroup of(String name, CommandLine command) {
            if (command.getCommand() instanceof ShellCommand known
                    && known.plugin().isPresent()) {
                return PLUGINS;
            }
            String first = name.split(" ", 2)[0];
            for (CommandGroup purpose : values()) {
                if (purpose.firstWords.contains(first)) {
                    return purpose;
                }
            }
            return command.getCommand() instanceof ControlCommand ? CHANGE : LOOK;
        }
    }
}

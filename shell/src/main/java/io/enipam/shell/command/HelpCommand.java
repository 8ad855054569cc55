package io.enipam.shell.command;

import io.enipam.shell.pipe.Filter;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Parameters;

@Command(name = "help", description = "All commands, or how one of them is used.", footer = "  help cni add")
final class HelpCommand extends ShellCommand {
    @Completes(LiveKind.COMMANDS)
    @Parameters(arity = "0..*", paramLabel = "CMD", description = "The command.")
    List<String> words = List.of();

    private @Nullable CommandLine found;

    HelpCommand(Session session) {
        super(session);
    }

    @Override
    void prepare() {
        found = named();
    }

    @Override
    void run() {
        if (words.equals(List.of(PipesHelp.TOPIC))) {
            print(PipesHelp.lines(session.screen().outPalette()));
            return;
        }
        CommandLine command = found == null ? named() : found;
        if (words.isEmpty()) {
            print(overview(command));
            return;
        }
        Ansi ansi = session.screen().outPalette() == Palette.COLOUR ? Ansi.ON : Ansi.OFF;
        out().print(command.getUsageMessage(ansi));
        out().flush();
    }

    /** The command that the words name; all of them if there are no words. */
    private CommandLine named() {
        CommandLine command = CommandTree.all(session);
        if (words.size() == 1 && Filter.models().containsKey(words.get(0))) {
            return CommandTree.configured(Filter.models().get(words.get(0)), session);
        }
        if (words.equals(List.of(PipesHelp.TOPIC))) {
            return command;
        }
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw Usage.unknown("command", word, command.getSubcommands().keySet());
            }
            command = next;
        }
        return command;
    }

    private List<String> overview(CommandLine root) {
        List<Map.Entry<String, String>> commands = new ArrayList<>();
        root.getSubcommands().forEach((name, command) -> {
            boolean alias = !name.equals(command.getCommandName());
            if (!alias) {
                collect(name, command, commands);
            }
        });
        int width = commands.stream().mapToInt(e -> e.getKey().length()).max().orElse(0);
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, String> command : commands) {
            String padding = " ".repeat(width - command.getKey().length());
            lines.add("  " + session.screen().outPalette().paint(Tone.HEAD, command.getKey()) + padding + "  "
                    + command.getValue());
        }
        lines.add("");
        lines.add("More on one of them: help CMD. Several on a line: CMD; CMD");
        lines.add("What a command prints can be filtered or go to a file: help pipes");
        lines.add("What the daemon answers is printed as a table, or with -o json as JSON.");
        return lines;
    }

    private static void collect(String name, CommandLine command, List<Map.Entry<String, String>> into) {
        if (command.getSubcommands().isEmpty()) {
            into.add(Map.entry(name, command.getCommandSpec().usageMessage().description()[0]));
        }
        command.getSubcommands().forEach((sub, line) -> collect(name + " " + sub, line, into));
    }
}

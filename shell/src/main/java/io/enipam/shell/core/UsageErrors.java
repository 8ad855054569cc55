package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** From picocli's complaints about a command line to one line that names the nearest thing that exists. */
public final class UsageErrors {
    private static final Set<String> OF_THE_PROGRAM =
            Set.of("--socket", "--sandbox", "--read-only", "--plugin", "--config", "-c");

    private UsageErrors() {}

    /** What is wrong, with the name that may have been meant. */
    public static ShellException unknown(String what, String word, Collection<String> names) {
        return unknown(what, word, names, "See 'help'");
    }

    private static ShellException unknown(String what, String word, Collection<String> names, String otherwise) {
        return ShellException.usage("unknown " + what + " '" + word + "'", ClosestMatch.hint(word, names, otherwise));
    }

    /** The same for anything picocli may find. */
    public static ShellException of(ParameterException e) {
        CommandLine command = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(command, unmatched.getUnmatched().get(0));
        }
        String message = String.valueOf(e.getMessage());
        return ShellException.usage(lowerFirst(message), help(command));
    }

    /** Where to read about a command: the words work at the prompt, and behind {@code enipam}. */
    private static String help(CommandLine command) {
        String name = Grammar.nameOf(command.getCommandSpec());
        return name.isEmpty() ? "See 'enipam --help'" : "See 'help " + name + "'";
    }

    private static ShellException unmatched(CommandLine command, String word) {
        if (word.startsWith("-") && word.length() > 1) {
            int equals = word.indexOf('=');
            String option = equals < 0 ? word : word.substring(0, equals);
            return OF_THE_PROGRAM.contains(option)
                    ? misplaced(option)
                    : unknown("option", option, options(command), help(command));
        }
        if (!command.getSubcommands().isEmpty()) {
            return unknown("command", word, command.getSubcommands().keySet());
        }
        return ShellException.usage(
                "one argument too many: '" + word + "'", "See 'help " + Grammar.nameOf(command.getCommandSpec()) + "'");
    }

    private static ShellException misplaced(String option) {
        return ShellException.usage(option + " belongs before the command", "As in: enipam " + option + " ... COMMAND");
    }

    private static List<String> options(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .map(OptionSpec::names)
                .flatMap(names -> List.of(names).stream())
                .toList();
    }

    private static String lowerFirst(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }
}

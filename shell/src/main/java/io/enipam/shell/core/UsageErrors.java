package io.enipam.shell.core;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ShellException;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** From picocli's complaints about a command line to one line that names the nearest thing that exists. */
public final class UsageErrors {
    private static final Set<String> OF_THE_PROGRAM =
            Set.of("--socket", "--sandbox", "--role", "--read-only", "--plugin", "--config", "-c");

    private UsageErrors() {}

    /** What is wrong, with the name that may have been meant. */
    public static ShellException unknown(String what, String word, Collection<String> names) {
        return unknown(what, word, names, "See 'help'");
    }

    private static ShellException unknown(String what, String word, Collection<String> names, String otherwise) {
        return usage("unknown " + what + " '" + word + "'", ClosestMatch.hint(word, names, otherwise));
    }

    /** The same for anything picocli may find. */
    public static ShellException of(ParameterException e) {
        CommandLine command = e.getCommandLine();
        return e instanceof UnmatchedArgumentException unmatched
                        && !unmatched.getUnmatched().isEmpty()
                ? unmatched(command, unmatched.getUnmatched().get(0))
                : usage(message(e), help(command));
    }

    /** What picocli says, to go on after a name and a colon. */
    public static String message(ParameterException e) {
        String message = String.valueOf(e.getMessage());
        return message.isEmpty() ? message : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }

    /** Where to read about a command: the words work at the prompt, and behind {@code enipam}. */
    private static String help(CommandLine command) {
        String name = Grammar.nameOf(command.getCommandSpec());
        return name.isEmpty() ? "See 'enipam --help'" : "See 'help " + name + "'";
    }

    private static ShellException unmatched(CommandLine command, String word) {
        if (word.startsWith("-") && word.length() > 1) {
            String option = word.replaceFirst("(?s)=.*", "");
            if (OF_THE_PROGRAM.contains(option)) {
                String example = "As in: enipam " + option + " ... COMMAND";
                return usage(option + " belongs before the command", example);
            }
            return unknown(
                    "option", option, command.getCommandSpec().optionsMap().keySet(), help(command));
        }
        if (!command.getSubcommands().isEmpty()) {
            return unknown("command", word, command.getSubcommands().keySet());
        }
        boolean value = word.matches("[\\w.-]+=.*") && command.getCommandSpec().findOption("-v") != null;
        return usage(
                "one argument too many: '" + word + "'",
                value ? "A value for a runbook stands behind -v: -v " + word : help(command));
    }
}

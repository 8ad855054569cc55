package io.enipam.shell.reference;

import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.help.HelpTopics;
import io.enipam.shell.runbook.RunbookLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The completion of bash and zsh: a script with commands, options and fixed values. It asks the daemon for pods, ENIs
 * and plugins, and kubectl for nodes, each for a moment.
 */
final class BashCompletion {
    /** Which command lists what a value may be; all others complete from what is fixed. */
    private static final Map<CompletionKind, String> LISTED_BY = Map.of(
            CompletionKind.PODS, "pod list -o name",
            CompletionKind.ENIS, "eni list -o name",
            CompletionKind.PLUGINS, "plugin list -o name");

    /** What takes nodes of a cluster, which no daemon knows. */
    private static final Set<String> NODES = Set.of("--node", "--nodes");

    private final StringBuilder words = new StringBuilder();
    private final StringBuilder values = new StringBuilder();
    private final StringBuilder positionals = new StringBuilder();
    private final String commands;

    private BashCompletion(CommandLine grammar) {
        commands = Stream.concat(grammar.getSubcommands().keySet().stream(), HelpTopics.names().keySet().stream())
                .collect(Collectors.joining(" "));
    }

    /** The script for the options before the command, and the commands. */
    static String of(CommandLine program, CommandLine grammar) {
        BashCompletion completion = new BashCompletion(grammar);
        completion.options("", program);
        completion.command("", grammar);
        return script().replace("@words@", completion.words)
                .replace("@values@", completion.values)
                .replace("@positionals@", completion.positionals);
    }

    private static String script() {
        try (InputStream in = BashCompletion.class.getResourceAsStream("completion.bash")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void command(String name, CommandLine command) {
        if (!command.getSubcommands().isEmpty()) {
            line(
                    words,
                    name.isEmpty() ? "-" : name,
                    String.join(" ", command.getSubcommands().keySet()));
        }
        if (!name.isEmpty()) {
            options(name, command);
            for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
                int last = Math.min(positional.index().max(), positional.index().min() + 3);
                for (int at = positional.index().min(); at <= last; at++) {
                    line(positionals, name + " " + at, taken(positional));
                }
            }
        }
        command.getSubcommands().forEach((word, below) -> command(name.isEmpty() ? word : name + " " + word, below));
    }

    private void options(String name, CommandLine command) {
        List<String> names = new ArrayList<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (option.hidden()) {
                continue;
            }
            names.addAll(List.of(option.names()));
            // a value that may be left out stands behind '=' alone, and the next word is none
            if (option.arity().min() > 0) {
                for (String each : option.names()) {
                    line(values, name + " " + each, taken(option));
                }
            }
        }
        line(words, (name.isEmpty() ? "-" : name) + " -", String.join(" ", names));
    }

    /** What the script offers for a value; nothing if it may be anything. */
    private String taken(ArgSpec argument) {
        if (argument.completionCandidates() != null) {
            List<String> candidates = new ArrayList<>();
            argument.completionCandidates().forEach(candidates::add);
            return String.join(" ", candidates);
        }
        if (argument instanceof OptionSpec option && NODES.contains(option.longestName())) {
            return "@nodes";
        }
        Optional<CompletionKind> kind = Grammar.live(argument);
        if (kind.isPresent() && LISTED_BY.containsKey(kind.get())) {
            return "@" + LISTED_BY.get(kind.get());
        }
        if (kind.isPresent() && kind.get() == CompletionKind.COMMANDS) {
            return commands;
        }
        if (kind.isPresent() && kind.get() == CompletionKind.RUNBOOKS) {
            return "@files " + String.join(" ", RunbookLibrary.names());
        }
        return kind.filter(CompletionKind.FILES::equals).isPresent()
                        || java.nio.file.Path.class.isAssignableFrom(argument.auxiliaryTypes()[0])
                ? "@files"
                : "";
    }

    private static void line(StringBuilder cases, String pattern, String answer) {
        cases.append("    '")
                .append(pattern.replace("'", "'\\''"))
                .append("') echo '")
                .append(answer.replace("'", "'\\''"))
                .append("' ;;\n");
    }
}

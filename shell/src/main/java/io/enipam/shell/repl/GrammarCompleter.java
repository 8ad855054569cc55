package io.enipam.shell.repl;

import io.enipam.shell.command.Completes;
import io.enipam.shell.command.LiveKind;
import io.enipam.shell.render.Palette;
import io.enipam.shell.repl.LiveValues.Value;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completes from picocli's model of the grammar: commands, options, and the values of options and positionals, fixed or
 * live. It reads the words before the cursor as the parser would, and offers what may come next; JLine matches the
 * offers against what is typed.
 */
final class GrammarCompleter implements Completer {
    private final Supplier<CommandLine> grammar;
    private final LiveValues live;

    GrammarCompleter(Supplier<CommandLine> grammar, LiveValues live) {
        this.grammar = grammar;
        this.live = live;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        String typed = line.word().substring(0, line.wordCursor());
        candidates.addAll(new Position(grammar.get(), command(line)).candidates(typed));
    }

    /** The words of the command that the cursor is in, up to the cursor: those after the last semicolon. */
    private static List<String> command(ParsedLine line) {
        List<String> before = line.words().subList(0, line.wordIndex());
        int start = before.size();
        while (start > 0 && !before.get(start - 1).endsWith(";")) {
            start--;
        }
        return before.subList(start, before.size());
    }

    /** Where in the grammar some words lead to. */
    private final class Position {
        private final CommandLine root;
        private CommandLine command;
        private final List<String> used = new ArrayList<>();
        private final List<String> positionals = new ArrayList<>();
        private @Nullable OptionSpec awaitsValue;

        Position(CommandLine root, List<String> words) {
            this.root = root;
            this.command = root;
            words.forEach(this::advance);
        }

        private void advance(String word) {
            CommandLine sub = command.getSubcommands().get(word);
            if (awaitsValue != null) {
                awaitsValue = null;
            } else if (word.startsWith("-")) {
                int equals = word.indexOf('=');
                String name = equals < 0 ? word : word.substring(0, equals);
                used.add(name);
                OptionSpec option = command.getCommandSpec().findOption(name);
                awaitsValue = equals < 0 && option != null && option.arity().max() > 0 ? option : null;
            } else if (sub != null && positionals.isEmpty()) {
                command = sub;
            } else {
                positionals.add(word);
            }
        }

        List<Candidate> candidates(String typed) {
            if (awaitsValue != null) {
                return values(awaitsValue, "", typed);
            }
            int equals = typed.indexOf('=');
            if (typed.startsWith("-") && equals > 0) {
                String name = typed.substring(0, equals);
                return Optional.ofNullable(command.getCommandSpec().findOption(name))
                        .map(option -> values(option, name + "=", typed.substring(equals + 1)))
                        .orElse(List.of());
            }
            if (typed.startsWith("-")) {
                return options();
            }
            if (!command.getSubcommands().isEmpty()) {
                return positionals.isEmpty() ? commands(command) : List.of();
            }
            List<Candidate> values = positional().map(p -> values(p, "", typed)).orElse(List.of());
            return values.isEmpty() && positional().isEmpty() ? options() : values;
        }

        private Optional<PositionalParamSpec> positional() {
            return command.getCommandSpec().positionalParameters().stream()
                    .filter(p -> p.index().contains(positionals.size()))
                    .findFirst();
        }

        private List<Candidate> options() {
            List<Candidate> candidates = new ArrayList<>();
            for (OptionSpec option : command.getCommandSpec().options()) {
                boolean given = List.of(option.names()).stream().anyMatch(used::contains);
                if (!given && !option.hidden()) {
                    candidates.add(candidate(option.longestName(), option.longestName(), first(option.description())));
                }
            }
            return candidates;
        }

        private List<Candidate> values(ArgSpec argument, String prefix, String typed) {
            List<Candidate> candidates = new ArrayList<>();
            if (argument.completionCandidates() != null) {
                argument.completionCandidates().forEach(value -> candidates.add(candidate(prefix + value, value, "")));
            }
            Optional<LiveKind> kind = kind(argument);
            if (kind.isPresent() && kind.get() == LiveKind.COMMANDS) {
                candidates.addAll(commandsAt(positionals));
            } else if (kind.isPresent()) {
                for (Value value : offers(kind.get(), typed)) {
                    if (Palette.clean(value.text()).equals(value.text())) {
                        candidates.add(
                                candidate(prefix + value.text(), value.text(), Palette.clean(value.description())));
                    }
                }
            }
            return candidates;
        }

        private List<Value> offers(LiveKind kind, String typed) {
            return switch (kind) {
                case FILES -> FileNames.of(typed);
                case RUNBOOKS -> RunbookNames.of(typed);
                case RUNBOOK_PARAMETERS -> RunbookNames.parameters(List.copyOf(positionals));
                default -> live.of(kind, List.copyOf(positionals));
            };
        }

        private List<Candidate> commandsAt(List<String> path) {
            CommandLine at = root;
            for (String word : path) {
                CommandLine next = at.getSubcommands().get(word);
                if (next == null) {
                    return List.of();
                }
                at = next;
            }
            return commands(at);
        }
    }

    private static List<Candidate> commands(CommandLine command) {
        List<Candidate> candidates = new ArrayList<>();
        command.getSubcommands()
                .forEach((name, sub) -> candidates.add(candidate(
                        name, name, first(sub.getCommandSpec().usageMessage().description()))));
        return candidates;
    }

    private static Optional<LiveKind> kind(ArgSpec argument) {
        return argument.userObject() instanceof AnnotatedElement field
                ? Optional.ofNullable(field.getAnnotation(Completes.class)).map(Completes::value)
                : Optional.empty();
    }

    private static String first(String[] description) {
        return description.length == 0 ? "" : description[0].replaceAll("\\$\\{.*?}", "FORMAT");
    }

    private static Candidate candidate(String value, String shown, String description) {
        return new Candidate(
                value, shown, null, description.isEmpty() ? null : description, null, null, !value.matches(".*[=/]"));
    }
}

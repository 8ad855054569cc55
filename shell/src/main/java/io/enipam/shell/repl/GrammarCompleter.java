package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Palette;
import io.enipam.shell.event.EventsCommand;
import io.enipam.shell.repl.CompletionValues.Value;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.console.CmdDesc;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.utils.AttributedString;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.shell.jline3.PicocliCommands;

/**
 * Completes commands, filters, options and values from picocli's model. It reads the words before the cursor as the
 * parser would; JLine matches the offers against what is typed.
 */
record GrammarCompleter(Supplier<Optional<EditorGrammar>> grammar, CompletionValues live) implements Completer {
    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        grammar.get().ifPresent(g -> candidates.addAll(offers(g, line.line().substring(0, line.cursor()))));
    }

    private List<Candidate> offers(EditorGrammar g, String line) {
        LineAnalysis before = LineAnalysis.before(g, line);
        String typed = LineAnalysis.typed(line).map(Token::text).orElse("");
        if (before.inComment()) {
            return List.of();
        }
        return before.takesFile() ? values(CompletionValues.files(typed), "") : offers(before.walk(), typed);
    }

    private List<Candidate> offers(GrammarWalker walk, String typed) {
        if (walk.awaitsValue().isPresent()) {
            return values(walk, walk.awaitsValue().get(), "", typed);
        }
        int equals = typed.indexOf('=');
        if (typed.startsWith("-") && equals > 0) {
            String name = typed.substring(0, equals);
            return walk.find(name)
                    .map(option -> values(walk, option, name + "=", typed.substring(equals + 1)))
                    .orElse(List.of());
        }
        if (typed.startsWith("-")) {
            return options(walk);
        }
        if (walk.takesCommand()) {
            return walk.positionals().isEmpty() ? commands(walk.command()) : List.of();
        }
        return walk.positional().map(p -> values(walk, p, "", typed)).orElseGet(() -> options(walk));
    }

    private static List<Candidate> options(GrammarWalker walk) {
        return walk.options().stream()
                .map(option -> candidate(option.longestName(), option.longestName(), first(option.description())))
                .toList();
    }

    private List<Candidate> values(GrammarWalker walk, ArgSpec argument, String prefix, String typed) {
        List<Candidate> candidates = new ArrayList<>();
        GrammarWalker.choices(argument).forEach(value -> candidates.add(candidate(prefix + value, value, "")));
        Grammar.live(argument).ifPresent(kind -> {
            switch (kind) {
                case COMMANDS -> candidates.addAll(commandsAt(walk));
                case COLUMNS -> candidates.addAll(listed(Grammar.columns(walk.command()), prefix, typed));
                case EVENT_TYPES -> candidates.addAll(listed(EventsCommand.types(), prefix, typed));
                default -> candidates.addAll(values(offers(kind, walk.positionals(), typed), prefix));
            }
        });
        Grammar.parameter(argument).filter(parameter -> candidates.isEmpty()).ifPresent(parameter -> {
            List<String> question = List.of(parameter.command(), parameter.name(), typed);
            candidates.addAll(values(live.of(CompletionKind.COMMAND_VALUES, question), prefix));
        });
        return candidates;
    }

    private List<Value> offers(CompletionKind kind, List<String> before, String typed) {
        return switch (kind) {
            case FILES -> CompletionValues.files(typed);
            case RUNBOOKS -> CompletionValues.runbooks(typed);
            case RUNBOOK_PARAMETERS -> CompletionValues.runbookParameters(before);
            case ANYTHING -> live.of(kind, List.of(typed));
            default -> live.of(kind, before);
        };
    }

    /** The next word behind those of the list that are named already, each of them once. */
    private static List<Candidate> listed(List<String> words, String prefix, String typed) {
        int comma = typed.lastIndexOf(',') + 1;
        String before = typed.substring(0, comma) + (typed.startsWith("-", comma) ? "-" : "");
        List<String> named = List.of(typed.substring(0, comma).replace("-", "").split(","));
        return words.stream()
                .filter(word -> !named.contains(word))
                .map(word -> candidate(prefix + before + word, word, ""))
                .toList();
    }

    private static List<Candidate> values(List<Value> values, String prefix) {
        return values.stream()
                // what cannot be shown as it is cannot be chosen either
                .filter(value -> Palette.clean(value.text()).equals(value.text()))
                .map(value -> candidate(prefix + value.text(), value.text(), Palette.clean(value.description())))
                .toList();
    }

    /** The commands that the help may be asked for, behind those named already. */
    private static List<Candidate> commandsAt(GrammarWalker walk) {
        CommandLine at = walk.root();
        for (String word : walk.positionals()) {
            CommandLine next = at.getSubcommands().get(word);
            if (next == null) {
                return List.of();
            }
            at = next;
        }
        return commands(at);
    }

    private static List<Candidate> commands(CommandLine command) {
        return command.getCommandSpec().subcommands().entrySet().stream()
                .filter(sub -> !sub.getValue().getCommandSpec().usageMessage().hidden())
                .map(sub -> candidate(
                        sub.getKey(),
                        sub.getKey(),
                        first(sub.getValue().getCommandSpec().usageMessage().description())))
                .toList();
    }

    /** The first line of a description, without what picocli would fill in. */
    static String first(String[] description) {
        return description.length == 0 ? "" : description[0].replaceAll("\\$\\{.*?}", "FORMAT");
    }

    private static Candidate candidate(String value, String shown, String description) {
        return new Candidate(
                value, shown, null, description.isEmpty() ? null : description, null, null, !value.matches(".*[=/]"));
    }

    /** The lines below a command being typed: its synopsis, made once for speed, and the argument at the cursor. */
    static final class UsageHints {
        private final Supplier<Optional<EditorGrammar>> grammar;
        private final Map<CommandSpec, String> synopses = new HashMap<>();

        UsageHints(Supplier<Optional<EditorGrammar>> grammar) {
            this.grammar = grammar;
        }

        /** The lines for the command at the end of a line that was cut at the cursor. */
        List<String> of(String line) {
            if (line.isBlank()) {
                return List.of();
            }
            return grammar.get().map(g -> of(g, line)).orElse(List.of());
        }

        private List<String> of(EditorGrammar g, String line) {
            LineAnalysis before = LineAnalysis.before(g, line);
            String typed = LineAnalysis.typed(line).map(Token::text).orElse("");
            if (before.inComment()) {
                return List.of();
            }
            if (before.takesFile()) {
                return List.of("FILE: where the output goes");
            }
            GrammarWalker walk = before.walk();
            if (walk.takesCommand()) {
                return group(walk, typed);
            }
            Optional<ArgSpec> argument = walk.argument(typed);
            String synopsis =
                    synopses.computeIfAbsent(walk.command().getCommandSpec(), spec -> synopsis(walk.root(), spec));
            return Stream.concat(Stream.of(synopsis), argument.map(UsageHints::described).stream())
                    .toList();
        }

        /** What would complete the word at the end of a line, as far as the grammar knows: a name, an option, a choice. */
        String rest(String line) {
            String typed = LineAnalysis.typed(line)
                    .filter(token -> token.bare() && !token.open())
                    .map(Token::text)
                    .orElse("");
            return typed.isEmpty()
                    ? ""
                    : grammar.get().flatMap(g -> next(g, line, typed)).orElse("");
        }

        private static Optional<String> next(EditorGrammar g, String line, String typed) {
            LineAnalysis before = LineAnalysis.before(g, line);
            if (before.inComment() || before.takesFile()) {
                return Optional.empty();
            }
            GrammarWalker walk = before.walk();
            Stream<String> words = walk.awaitsValue().isPresent()
                    ? GrammarWalker.choices(walk.awaitsValue().get()).stream()
                    : typed.startsWith("--")
                            ? walk.options().stream().map(OptionSpec::longestName)
                            : walk.takesCommand()
                                    ? commands(walk.command()).stream().map(Candidate::value)
                                    : walk.argument(typed).stream()
                                            .flatMap(argument -> GrammarWalker.choices(argument).stream());
            return words.filter(word -> word.startsWith(typed)).findFirst().map(word -> word.substring(typed.length()));
        }

        /** Of a name that is typed in full what it is for; else the names that it may become. */
        private List<String> group(GrammarWalker walk, String typed) {
            Map<String, CommandLine> subs = walk.command().getSubcommands();
            CommandLine named = subs.get(typed);
            if (named != null) {
                return List.of(typed + ": " + described(named.getCommandSpec()));
            }
            Stream<String> known = subs.keySet().stream().filter(name -> name.startsWith(typed));
            String names = known.collect(Collectors.joining("  "));
            boolean all = walk.command() == walk.root() && typed.isEmpty();
            return names.isEmpty() || all ? List.of() : List.of(names);
        }

        private static String synopsis(CommandLine root, CommandSpec spec) {
            List<String> path = List.of(spec.qualifiedName(" ").split(" "));
            CmdDesc description = new PicocliCommands(root).commandDescription(path.subList(1, path.size()));
            String synopsis = description == null
                    ? ""
                    : description.getMainDesc().stream()
                            .map(AttributedString::toString)
                            .collect(Collectors.joining(" "));
            return Palette.clean(synopsis.replaceAll("\\s+", " ")
                    .replaceFirst("^enipam ", "")
                    .replaceAll("\\[-h] | \\[-h]", ""));
        }

        private static String described(ArgSpec argument) {
            String name = argument instanceof OptionSpec option
                    ? String.join(", ", option.names()) + (option.arity().max() > 0 ? " " + option.paramLabel() : "")
                    : argument.paramLabel();
            List<String> choices = GrammarWalker.choices(argument);
            String what = argument.description().length == 0
                    ? ""
                    : argument.description()[0].replaceAll("\\$\\{COMPLETION-CANDIDATES}", String.join(", ", choices));
            return Palette.clean(name + ": " + what.replaceAll("\\$\\{.*?}", ""));
        }

        private static String described(CommandSpec spec) {
            return Palette.clean(GrammarCompleter.first(spec.usageMessage().description()));
        }
    }
}

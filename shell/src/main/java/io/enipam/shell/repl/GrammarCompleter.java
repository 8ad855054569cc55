package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Palette;
import io.enipam.shell.repl.CompletionValues.Value;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

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
        List<Candidate> candidates = new ArrayList<>();
        for (OptionSpec option : walk.options()) {
            candidates.add(candidate(option.longestName(), option.longestName(), first(option.description())));
        }
        return candidates;
    }

    private List<Candidate> values(GrammarWalker walk, ArgSpec argument, String prefix, String typed) {
        List<Candidate> candidates = new ArrayList<>();
        for (String value : GrammarWalker.choices(argument)) {
            candidates.add(candidate(prefix + value, value, ""));
        }
        Optional<CompletionKind> kind = Grammar.live(argument);
        if (kind.isPresent() && kind.get() == CompletionKind.COMMANDS) {
            candidates.addAll(commandsAt(walk));
        } else if (kind.isPresent() && kind.get() == CompletionKind.COLUMNS) {
            candidates.addAll(columns(walk, prefix, typed));
        } else if (kind.isPresent()) {
            List<Value> offers = offers(kind.get(), walk.positionals(), typed);
            candidates.addAll(values(offers, prefix));
        }
        return candidates;
    }

    private List<Value> offers(CompletionKind kind, List<String> before, String typed) {
        return switch (kind) {
            case FILES -> CompletionValues.files(typed);
            case RUNBOOKS -> CompletionValues.runbooks(typed);
            case RUNBOOK_PARAMETERS -> CompletionValues.runbookParameters(before);
            default -> live.of(kind, before);
        };
    }

    /** The next column behind those that are named already, each of them once. */
    private static List<Candidate> columns(GrammarWalker walk, String prefix, String typed) {
        int comma = typed.lastIndexOf(',') + 1;
        String before = typed.substring(0, comma) + (typed.startsWith("-", comma) ? "-" : "");
        List<String> named = List.of(typed.substring(0, comma).replace("-", "").split(","));
        return Grammar.columns(walk.command()).stream()
                .filter(column -> !named.contains(column))
                .map(column -> candidate(prefix + before + column, column, ""))
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
        List<Candidate> candidates = new ArrayList<>();
        command.getSubcommands()
                .forEach((name, sub) -> candidates.add(candidate(
                        name, name, first(sub.getCommandSpec().usageMessage().description()))));
        return candidates;
    }

    /** The first line of a description, without what picocli would fill in. */
    static String first(String[] description) {
        return description.length == 0 ? "" : description[0].replaceAll("\\$\\{.*?}", "FORMAT");
    }

    private static Candidate candidate(String value, String shown, String description) {
        return new Candidate(
                value, shown, null, description.isEmpty() ? null : description, null, null, !value.matches(".*[=/]"));
    }
}

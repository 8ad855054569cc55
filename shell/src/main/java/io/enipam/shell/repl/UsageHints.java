package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.core.Palette;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.console.CmdDesc;
import org.jline.utils.AttributedString;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.shell.jline3.PicocliCommands;

/**
 * The lines below a command being typed: its synopsis and the argument at the cursor. Synopses are made once for each
 * command, since that takes longer than a key may.
 */
final class UsageHints {
    private final Supplier<Optional<EditorGrammar>> grammar;
    private final Map<CommandSpec, String> synopses = new HashMap<>();

    UsageHints(Supplier<Optional<EditorGrammar>> grammar) {
        this.grammar = grammar;
    }

    /**
     * The lines for the command at the end of a line that was cut at the cursor; none where there is nothing to say.
     */
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
        return Stream.concat(Stream.of(synopsis(walk)), argument.map(UsageHints::described).stream())
                .toList();
    }

    /** Of a name that is typed in full what it is for; else the names that it may become. */
    private List<String> group(GrammarWalker walk, String typed) {
        Map<String, CommandLine> subs = walk.command().getSubcommands();
        CommandLine named = subs.get(typed);
        if (named != null) {
            return List.of(typed + ": " + described(named.getCommandSpec()));
        }
        List<String> names =
                subs.keySet().stream().filter(name -> name.startsWith(typed)).toList();
        return names.isEmpty() || (walk.atRoot() && typed.isEmpty()) ? List.of() : List.of(String.join("  ", names));
    }

    private String synopsis(GrammarWalker walk) {
        return synopses.computeIfAbsent(walk.command().getCommandSpec(), spec -> made(walk.root(), spec));
    }

    private static String made(CommandLine root, CommandSpec spec) {
        List<String> path = Arrays.asList(spec.qualifiedName(" ").split(" "));
        CmdDesc description = new PicocliCommands(root).commandDescription(path.subList(1, path.size()));
        String synopsis = description == null
                ? ""
                : description.getMainDesc().stream()
                        .map(AttributedString::toString)
                        .collect(Collectors.joining(" "));
        return Palette.clean(synopsis.replaceAll("\\s+", " ")
                .replaceFirst("^enipam ", "")
                .replace("[-h] ", "")
                .replace(" [-h]", ""));
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

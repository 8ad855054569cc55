package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Session;
import io.enipam.shell.pipe.Filter;
import io.enipam.v1.PluginCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A way through picocli's model of a grammar, one word after the other, as its parser would go. */
final class GrammarWalker {
    enum Role {
        COMMAND,
        OPTION,
        VALUE,
        /** The grammar has no place for it. */
        UNKNOWN
    }

    private final CommandLine root;
    private CommandLine command;
    private final Set<String> used = new HashSet<>();
    private final List<String> positionals = new ArrayList<>();
    private @Nullable OptionSpec awaitsValue;
    private boolean literal;

    GrammarWalker(CommandLine root) {
        this.root = root;
        this.command = root;
    }

    Role advance(String word) {
        if (awaitsValue != null && awaitsValue.arity().min() == 0 && word.startsWith("-")) {
            awaitsValue = null; // its value may be left out
        }
        if (awaitsValue != null) {
            OptionSpec option = awaitsValue;
            awaitsValue = null;
            return valueOf(option, word);
        }
        if (!literal && word.length() > 1 && word.startsWith("-")) {
            return option(word);
        }
        CommandLine sub = command.getSubcommands().get(word);
        if (positionals.isEmpty() && sub != null) {
            command = sub;
            return Role.COMMAND;
        }
        // nothing can be said of what stands behind an unknown name
        Role role = takesCommand()
                ? positionals.isEmpty() ? Role.UNKNOWN : Role.VALUE
                : positional().map(p -> valueOf(p, word)).orElse(Role.UNKNOWN);
        positionals.add(word);
        return role;
    }

    private Role option(String word) {
        if (word.equals("--")) {
            literal = true;
            return Role.OPTION;
        }
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        Optional<OptionSpec> option = find(name);
        if (option.isEmpty()) {
            return shorts(word) ? Role.OPTION : Role.UNKNOWN;
        }
        used.addAll(List.of(option.get().names()));
        boolean takes = option.get().arity().max() > 0;
        awaitsValue = equals < 0 && takes ? option.get() : null;
        return equals < 0 ? Role.OPTION : takes ? valueOf(option.get(), word.substring(equals + 1)) : Role.UNKNOWN;
    }

    /** Whether it is several short options in one word, or a short option with its value behind it. */
    private boolean shorts(String word) {
        if (word.startsWith("--")) {
            return false;
        }
        for (int i = 1; i < word.length(); i++) {
            Optional<OptionSpec> option = find("-" + word.charAt(i));
            if (option.isEmpty()) {
                return false;
            }
            used.addAll(List.of(option.get().names()));
            if (option.get().arity().max() > 0) {
                awaitsValue = i + 1 == word.length() ? option.get() : null;
                return true;
            }
        }
        return true;
    }

    private static Role valueOf(ArgSpec argument, String value) {
        List<String> choices = choices(argument);
        return choices.isEmpty() || choices.contains(value) ? Role.VALUE : Role.UNKNOWN;
    }

    /** The values an argument may have; empty if it is not one of a few. */
    static List<String> choices(ArgSpec argument) {
        Iterable<String> fixed = argument.completionCandidates();
        if (fixed != null) {
            return StreamSupport.stream(fixed.spliterator(), false).toList();
        }
        Object[] constants = argument.type().getEnumConstants();
        return constants == null
                ? List.of()
                : Stream.of(constants).map(String::valueOf).toList();
    }

    /** Whether a word that is no name yet begins one that could stand here. */
    boolean mayBecomeKnown(String word) {
        if (awaitsValue != null) {
            return choices(awaitsValue).stream().anyMatch(choice -> choice.startsWith(word));
        }
        int equals = word.indexOf('=');
        if (word.startsWith("-") && equals > 0) {
            return find(word.substring(0, equals)).stream()
                    .flatMap(option -> choices(option).stream())
                    .anyMatch(choice -> choice.startsWith(word.substring(equals + 1)));
        }
        if (word.startsWith("-")) {
            return command.getCommandSpec().options().stream()
                    .flatMap(option -> Arrays.stream(option.names()))
                    .anyMatch(name -> name.startsWith(word));
        }
        return takesCommand()
                ? command.getSubcommands().keySet().stream().anyMatch(name -> name.startsWith(word))
                : positional().stream().flatMap(p -> choices(p).stream()).anyMatch(choice -> choice.startsWith(word));
    }

    boolean takesCommand() {
        return !command.getSubcommands().isEmpty() && awaitsValue == null;
    }

    CommandLine command() {
        return command;
    }

    CommandLine root() {
        return root;
    }

    List<String> positionals() {
        return List.copyOf(positionals);
    }

    Optional<OptionSpec> awaitsValue() {
        return Optional.ofNullable(awaitsValue);
    }

    Optional<PositionalParamSpec> positional() {
        return command.getCommandSpec().positionalParameters().stream()
                .filter(p -> p.index().contains(positionals.size()))
                .findFirst();
    }

    Optional<OptionSpec> find(String name) {
        return Optional.ofNullable(command.getCommandSpec().findOption(name));
    }

    List<OptionSpec> options() {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .filter(option ->
                        option.isMultiValue() || Arrays.stream(option.names()).noneMatch(used::contains))
                .toList();
    }

    /** The argument that a word stands for, which is being typed: the value of an option, a positional. */
    Optional<ArgSpec> argument(String typed) {
        if (awaitsValue != null) {
            return Optional.of(awaitsValue);
        }
        if (!literal && typed.startsWith("-") && typed.length() > 1) {
            int equals = typed.indexOf('=');
            return find(equals < 0 ? typed : typed.substring(0, equals)).map(ArgSpec.class::cast);
        }
        return takesCommand() ? Optional.empty() : positional().map(ArgSpec.class::cast);
    }

    /** The models of commands, and of filters behind a bar, built once, as the editor reads them with every key. */
    record EditorGrammar(CommandLine commands, CommandLine filters, List<PluginCommand> plugins) {
        /** All that this shell knows. Takes some tens of milliseconds. */
        static EditorGrammar of(Session session) {
            CommandLine filters = Grammar.parser(CommandSpec.create().name("enipam"));
            Filter.models().forEach(filters::addSubcommand);
            List<PluginCommand> plugins = session.pluginCommands();
            CommandLine commands = session.commands(List.of());
            for (CommandLine root : List.of(commands, filters)) {
                CommandLine system = session.commands(List.of(CommandLineLexer.SYSTEM));
                root.addSubcommand(
                        CommandLineLexer.SYSTEM, system.getSubcommands().get(CommandLineLexer.SYSTEM));
            }
            return new EditorGrammar(commands, filters, plugins);
        }
    }
}

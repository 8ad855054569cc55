package io.enipam.shell.core;

import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** All commands as picocli's models. The program builds them; what runs, completes or documents commands gets them by this. */
@FunctionalInterface
public interface Grammar {
    /** As much as a command needs that begins with these words, made anew; all for no words or unknown ones. */
    CommandLine of(Session session, List<String> words);

    /** A parser of an annotated object or a {@link CommandSpec}, to which {@code @} begins a word like any other. */
    static CommandLine parser(Object command) {
        return new CommandLine(command)
                .setExpandAtFiles(false)
                .registerConverter(Duration.class, new DurationParser.DurationConverter());
    }

    /** A command as it is typed, without the program's name: {@code cni add}. */
    static String nameOf(CommandSpec spec) {
        String name = spec.qualifiedName(" ");
        return name.startsWith("enipam ") ? name.substring("enipam ".length()) : "";
    }

    /** The commands below one that have none below themselves, by the words they are typed as; aliases are left out. */
    static Map<String, CommandLine> leaves(CommandLine command) {
        Map<String, CommandLine> leaves = new LinkedHashMap<>();
        command.getSubcommands().forEach((name, below) -> {
            if (!name.equals(below.getCommandName())
                    || below.getCommandSpec().usageMessage().hidden()) {
                return;
            }
            if (below.getSubcommands().isEmpty()) {
                leaves.put(nameOf(below.getCommandSpec()), below);
            }
            leaves.putAll(leaves(below));
        });
        return leaves;
    }

    /** The kind of live values that an option or a positional takes; empty if it takes none. */
    static Optional<CompletionKind> live(ArgSpec argument) {
        if (argument.userObject() instanceof CompletionKind kind) {
            return Optional.of(kind);
        }
        return argument.userObject() instanceof AnnotatedElement field
                ? Optional.ofNullable(field.getAnnotation(Completes.class)).map(Completes::value)
                : Optional.empty();
    }

    /** The parameter of a plugin's command that an option or a positional is; empty for all others. */
    static Optional<LiveParameter> parameter(ArgSpec argument) {
        return argument.userObject() instanceof LiveParameter parameter ? Optional.of(parameter) : Optional.empty();
    }

    /** A parameter of a plugin's command, which the plugin completes; {@code command} is the command as it is typed. */
    record LiveParameter(String command, String name) {}

    /** The keys of a listing command's columns, those of wide tables too; none if the command lists nothing. */
    static List<String> columns(CommandLine command) {
        return command.getCommand() instanceof ShellCommand known
                ? known.lists().map(listed -> listed.listing().keys()).orElse(List.of())
                : List.of();
    }

    /** A word that means nothing without the next one. */
    @Command
    final class Group implements Runnable {
        @Spec
        CommandSpec spec;

        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Say what there is.")
        boolean help;

        @Override
        public void run() {
            throw new ParameterException(
                    spec.commandLine(),
                    "which one? " + nameOf(spec) + " takes "
                            + String.join(", ", spec.subcommands().keySet()));
        }
    }
}

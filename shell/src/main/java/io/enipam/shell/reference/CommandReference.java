package io.enipam.shell.reference;

import io.enipam.shell.CommandTree;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.SessionOutput;
import io.enipam.shell.help.HelpTopics;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.AnnotatedElement;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** All commands as a model to write a reference from. None of them can be run. */
public final class CommandReference {
    private final CommandLine root;

    private CommandReference(CommandLine root) {
        this.root = root;
    }

    /** The whole of it, with what help teaches. */
    public static CommandReference whole() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Session session = new Session(
                new SessionOutput(nowhere, nowhere, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                () -> {
                    throw new IllegalStateException("a reference asks no daemon");
                },
                InstantSource.system(),
                ZoneOffset.UTC);
        return new CommandReference(CommandTree.all(session));
    }

    public CommandLine root() {
        return root;
    }

    /** The commands that have none below them, by the words they are typed as. */
    public Map<String, CommandLine> leaves() {
        return CommandTree.leaves(root);
    }

    /** What an option or a positional takes of what is there on the node. */
    public static Optional<CompletionKind> live(ArgSpec argument) {
        return argument.userObject() instanceof AnnotatedElement field
                ? Optional.ofNullable(field.getAnnotation(Completes.class)).map(Completes::value)
                : Optional.empty();
    }

    /** The overview of all commands, as {@code help} prints it. */
    public List<String> topics() {
        return List.copyOf(HelpTopics.names().keySet());
    }
}

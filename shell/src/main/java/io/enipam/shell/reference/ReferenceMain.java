package io.enipam.shell.reference;

import io.enipam.shell.CommandTree;
import io.enipam.shell.ShellProgram;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.SessionOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/**
 * Writes manual pages, {@code completion/enipam.bash} and {@code completion/_enipam} into a directory, beside pages of
 * others.
 */
public final class ReferenceMain {
    private ReferenceMain() {}

    /** @param args the directory, and directories with a {@code man8} whose pages shall lie beside the shell's */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        write(directory);
        for (String pages : List.of(args).subList(1, args.length)) {
            putBeside(directory.resolve("man/man8"), Path.of(pages, "man8"));
        }
    }

    private static void putBeside(Path section, Path pages) throws IOException {
        Files.createDirectories(section);
        try (DirectoryStream<Path> each = Files.newDirectoryStream(pages, "*.8")) {
            for (Path page : each) {
                Files.copy(page, section.resolve(page.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    static void write(Path directory) throws IOException {
        CommandLine program = ShellProgram.options();
        CommandLine grammar = grammar();
        Path man = Files.createDirectories(directory.resolve("man/man1"));
        put(man.resolve("enipam.1"), ManPage.ofProgram(program, grammar));
        for (Map.Entry<String, CommandLine> command : Grammar.leaves(grammar).entrySet()) {
            String page = "enipam-" + command.getKey().replace(' ', '-');
            put(man.resolve(page + ".1"), ManPage.ofCommand(page, command.getKey(), command.getValue()));
        }
        Path completion = Files.createDirectories(directory.resolve("completion"));
        String script = BashCompletion.of(program, grammar);
        put(completion.resolve("enipam.bash"), script);
        put(
                completion.resolve("_enipam"),
                "#compdef enipam\nautoload -Uz bashcompinit && bashcompinit\n" + script + "_bash_complete \"$@\"\n");
    }

    private static void put(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    /** All commands as a model to write a reference from. None of them can be run. */
    static CommandLine grammar() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Session session = Session.detached(
                new SessionOutput(nowhere, nowhere, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                InstantSource.system(),
                ZoneOffset.UTC);
        return CommandTree.all(session);
    }
}

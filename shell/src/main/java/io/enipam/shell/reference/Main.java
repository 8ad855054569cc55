package io.enipam.shell.reference;

import io.enipam.shell.ShellProgram;
import io.enipam.shell.command.Grammar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;

/** Writes {@code man/man1/*.1}, {@code completion/enipam.bash} and {@code completion/_enipam} into a directory. */
public final class Main {
    private Main() {}

    /** @param args the directory */
    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]));
    }

    static void write(Path directory) throws IOException {
        CommandLine program = ShellProgram.options();
        Grammar grammar = Grammar.whole();
        Path man = Files.createDirectories(directory.resolve("man/man1"));
        put(man.resolve("enipam.1"), ManPage.ofProgram(program, grammar));
        for (Map.Entry<String, CommandLine> command : grammar.leaves().entrySet()) {
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
}

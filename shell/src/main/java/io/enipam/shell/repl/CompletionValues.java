package io.enipam.shell.repl;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.runbook.RunbookLibrary;
import io.enipam.shell.runbook.ScriptSource;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What there is right now, to complete a word from: the daemon's things by {@link #of}, files and runbooks of this machine. */
@FunctionalInterface
interface CompletionValues {
    /** A value, and what to say beside it. The word goes on behind one that ends with an equals sign or a slash. */
    record Value(String text, String description) {}

    /** The values, which may depend on the positionals {@code before} the word. What cannot answer throws. */
    List<Value> of(CompletionKind kind, List<String> before);

    /** Files in the directory that the word names so far; hidden ones only where the word begins one. */
    static List<Value> files(String typed) {
        int name = typed.lastIndexOf('/') + 1;
        String directory = typed.substring(0, name);
        String begun = typed.substring(name);
        List<Value> values = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(directory.isEmpty() ? "." : directory))) {
            for (Path file : files) {
                String text = String.valueOf(file.getFileName());
                if (text.startsWith(begun) && (!text.startsWith(".") || begun.startsWith("."))) {
                    values.add(new Value(directory + text + (Files.isDirectory(file) ? "/" : ""), ""));
                }
            }
        } catch (IOException | InvalidPathException none) {
            return List.of(); // a completion that fails is no completion; the command itself will say what is wrong
        }
        values.sort(Comparator.comparing(Value::text));
        return values;
    }

    /** Runbooks of the library, then files. */
    static List<Value> runbooks(String typed) {
        List<Value> values = new ArrayList<>();
        for (String name : RunbookLibrary.names()) {
            if (name.startsWith(typed)) {
                ScriptSource source = RunbookLibrary.required(name);
                values.add(new Value(name, RunbookLibrary.header(source).description()));
            }
        }
        values.addAll(files(typed));
        return values;
    }

    /** The parameters of the runbook that is named before, up to the value. */
    static List<Value> runbookParameters(List<String> before) {
        try {
            return before.stream()
                    .limit(1)
                    .map(word -> RunbookLibrary.named(word).orElseGet(() -> ScriptSource.file(Path.of(word))))
                    .flatMap(source -> RunbookLibrary.header(source).parameters().stream())
                    .map(parameter -> new Value(
                            parameter.name() + "=",
                            parameter.doc()
                                    + parameter
                                            .fallback()
                                            .map(value -> " [" + value + "]")
                                            .orElse(" (required)")))
                    .toList();
        } catch (ShellException | InvalidPathException noSuchRunbook) {
            return List.of();
        }
    }
}

package io.enipam.shell.repl;

import io.enipam.shell.repl.CompletionValues.Value;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Files to complete a word from: those in the directory that it names so far. Directories end with a slash. */
final class FileNames {
    private FileNames() {}

    /** What the word may become; hidden files only where it begins one. Nothing if there is no such directory. */
    static List<Value> of(String typed) {
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
}

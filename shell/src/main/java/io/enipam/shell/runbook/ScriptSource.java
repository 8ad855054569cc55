package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the text of a runbook is from: a file, the library, a pipe. */
public interface ScriptSource {
    String name();

    /** Its identity, so that a file that includes itself is recognized under each of its names. */
    String identity();

    /** The whole text. Throws a usage error if it is not there, cannot be read, is too large, or is no text. */
    String text();

    /** What {@code include} means by a name in this one; whether there is such a file shows when its text is read. */
    ScriptSource included(String name);

    static ScriptSource file(Path file) {
        return new OfFile(file, file.toString());
    }

    static ScriptSource text(String name, String text) {
        return new OfText(name, text);
    }

    /** A text that is there already; what it includes is named from the directory that the program runs in. */
    record OfText(String name, String text) implements ScriptSource {
        @Override
        public String identity() {
            return name;
        }

        @Override
        public ScriptSource included(String other) {
            return RunbookLibrary.named(other).orElseGet(() -> new OfFile(path(other), other));
        }
    }

    /** A file; what it includes is named from its directory. */
    record OfFile(Path file, String name) implements ScriptSource {
        @Override
        public String identity() {
            try {
                return file.toRealPath().toString();
            } catch (IOException none) {
                return file.toAbsolutePath().normalize().toString(); // reading it will say what is wrong
            }
        }

        @Override
        public ScriptSource included(String other) {
            Path beside = file.resolveSibling(path(other));
            return RunbookLibrary.named(other).orElseGet(() -> new OfFile(beside, beside.toString()));
        }

        @Override
        public String text() {
            if (Files.isDirectory(file)) {
                throw usage("'" + name + "' is a directory", null);
            } else if (!Files.exists(file)) {
                throw usage("there is no file " + name, null);
            } else if (!Files.isRegularFile(file)) {
                // nor a pipe: a runbook is read once to be checked before a sandbox starts, and once to be run
                throw ShellException.usage(name + " is no plain file", "What another program writes is run by: run -");
            }
            try (InputStream in = Files.newInputStream(file)) {
                return read(name, in);
            } catch (IOException e) {
                throw usage(name + " cannot be read: " + e.getMessage(), e);
            }
        }
    }

    static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw usage("'" + name + "' is no name of a file", e);
        }
    }

    /** Reads a text to its end; throws a usage error if it is too large, or is no text. */
    static String read(String name, InputStream in) throws IOException {
        byte[] bytes = in.readNBytes(RunbookLimits.FILE_BYTES + 1);
        if (bytes.length > RunbookLimits.FILE_BYTES) {
            String most = (RunbookLimits.FILE_BYTES >> 10) + " KiB";
            throw usage(name + " has more than " + most + ", and a runbook has not", null);
        }
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            if (text.chars().anyMatch(c -> c == 0)) {
                throw usage(name + " is no text: it has a zero byte in it", null);
            }
            // what some editors put before the first line belongs to no line
            return text.toString().replaceFirst("^\uFEFF", "");
        } catch (CharacterCodingException e) {
            throw usage(name + " is no text in UTF-8", e);
        }
    }

    static ShellException usage(String why, @Nullable Throwable cause) {
        String hint = "Name a runbook: a file, or one of 'runbook list'";
        return cause == null
                ? ShellException.usage(why, hint)
                : new ShellException(ExitStatus.USAGE, "", why, hint, cause);
    }
}

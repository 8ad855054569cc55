package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Library;
import io.enipam.shell.runbook.Source;
import io.enipam.shell.runbook.Sources;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Which runbook a word on the command line names. */
final class RunbookSource {
    static final String STDIN = "-";
    private static final String SUFFIX = ".runbook";

    private RunbookSource() {}

    /**
     * A shipped one if it has this name, whatever files there are; else the file, or what comes on stdin.
     *
     * @throws ShellException (usage) if it is neither, or stdin is where the commands come from
     */
    static Source of(Session session, String word) {
        if (word.equals(STDIN)) {
            return Sources.text(
                    "stdin",
                    session.input()
                            .orElseThrow(() -> new ShellException(
                                    Exit.USAGE,
                                    "",
                                    "the commands come from there already",
                                    "Start it as: enipam run - < FILE"))
                            .get());
        }
        return Library.named(word).orElseGet(() -> file(word));
    }

    private static Source file(String word) {
        Path file;
        try {
            file = Path.of(word);
        } catch (InvalidPathException e) {
            throw new ShellException(Exit.USAGE, "", "'" + word + "' is no name of a file", "Name a runbook", e);
        }
        if (!Files.exists(file) && word.indexOf('/') < 0 && !word.endsWith(SUFFIX)) {
            return Library.required(word);
        }
        return Sources.file(file);
    }
}

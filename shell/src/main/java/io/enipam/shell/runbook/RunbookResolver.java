package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Session;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Which runbook a word on the command line names. */
final class RunbookResolver {
    static final String STDIN = "-";
    private static final String SUFFIX = ".runbook";

    private RunbookResolver() {}

    /**
     * A shipped one if it has this name, whatever files there are; else the file, or what comes on stdin.
     *
     * @throws ShellException (usage) if it is neither, or stdin is where the commands come from
     */
    static ScriptSource of(Session session, String word) {
        if (word.equals(STDIN)) {
            return ScriptSources.text(
                    "stdin",
                    session.input()
                            .orElseThrow(() -> new ShellException(
                                    ExitStatus.USAGE,
                                    "",
                                    "the commands come from there already",
                                    "Start it as: enipam run - < FILE"))
                            .get());
        }
        return RunbookLibrary.named(word).orElseGet(() -> file(word));
    }

    private static ScriptSource file(String word) {
        Path file;
        try {
            file = Path.of(word);
        } catch (InvalidPathException e) {
            throw new ShellException(ExitStatus.USAGE, "", "'" + word + "' is no name of a file", "Name a runbook", e);
        }
        if (!Files.exists(file) && word.indexOf('/') < 0 && !word.endsWith(SUFFIX)) {
            return RunbookLibrary.required(word);
        }
        return ScriptSources.file(file);
    }
}

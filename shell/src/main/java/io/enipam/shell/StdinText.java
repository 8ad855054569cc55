package io.enipam.shell;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.ScriptSource;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All of stdin as text, read when it is first wanted: a runbook from there is checked, and later run. For one thread. */
final class StdinText implements Supplier<String> {
    private final InputStream in;
    private @Nullable String text;

    StdinText(InputStream in) {
        this.in = in;
    }

    @Override
    public String get() {
        String known = text;
        if (known == null) {
            try {
                known = ScriptSource.read("stdin", in);
            } catch (IOException e) {
                throw unreadable(e);
            }
            text = known;
        }
        return known;
    }

    static ShellException unreadable(IOException e) {
        return new ShellException(
                ExitStatus.REFUSED,
                "STDIN",
                "stdin cannot be read: " + e.getMessage(),
                "Give the commands with -c, or in a file",
                e);
    }
}

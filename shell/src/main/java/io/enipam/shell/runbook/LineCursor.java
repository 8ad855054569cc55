package io.enipam.shell.runbook;

import java.util.List;
import java.util.Optional;

/** The lines of one file that are still to be read. */
final class LineCursor {
    private final ScriptSource source;
    private final List<RunbookLine> lines;
    private final int around;
    private int next;
    private boolean guarded;

    /** @param around in how many blocks the file stands */
    LineCursor(ScriptSource source, List<RunbookLine> lines, int around) {
        this.source = source;
        this.lines = lines;
        this.around = around;
    }

    ScriptSource source() {
        return source;
    }

    int around() {
        return around;
    }

    /** The next line, which stays the next one; empty at the end. */
    Optional<RunbookLine> peek() {
        return next < lines.size() ? Optional.of(lines.get(next)) : Optional.empty();
    }

    /** The line that was read last. */
    RunbookLine last() {
        return lines.get(next - 1);
    }

    void advance() {
        next++;
    }

    /** Whether the next line begins an {@code else}. */
    boolean isAtElse() {
        return peek().filter(line -> line.shown().startsWith("else")).isPresent();
    }

    /** Whether the file has an {@code on-error} already; from now on it has. */
    boolean guard() {
        boolean before = guarded;
        guarded = true;
        return before;
    }
}

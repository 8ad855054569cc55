package io.enipam.shell.runbook;

import java.util.Comparator;

/**
 * Where something is written.
 *
 * @param file as it was named
 * @param line from 1
 * @param column from 1
 */
public record SourcePosition(String file, int line, int column) {
    static final Comparator<SourcePosition> ORDER = Comparator.comparing(SourcePosition::file)
            .thenComparing(SourcePosition::line)
            .thenComparing(SourcePosition::column);

    /** {@code FILE:LINE}, which is enough for a step. */
    public String ofLine() {
        return file + ":" + line;
    }

    /** {@code FILE:LINE:COLUMN}. */
    @Override
    public String toString() {
        return ofLine() + ":" + column;
    }
}

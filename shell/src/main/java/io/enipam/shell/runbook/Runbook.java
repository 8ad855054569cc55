package io.enipam.shell.runbook;

import java.util.List;

/**
 * A runbook that was read and checked.
 *
 * @param file its name, as it was given
 */
public record Runbook(String file, List<Line> lines) {
    /**
     * A line with its step.
     *
     * @param number from 1
     * @param text as it is written, with the values of variables in it
     */
    public record Line(int number, String text, Step step) {}

    public Runbook {
        lines = List.copyOf(lines);
    }

    /** How many steps change the daemon. */
    public long changes() {
        return lines.stream().filter(line -> line.step().call().changes()).count();
    }
}

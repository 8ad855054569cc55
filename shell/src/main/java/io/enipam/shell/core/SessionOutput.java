package io.enipam.shell.core;

import java.io.PrintStream;

/**
 * Where a session writes: answers to {@code out}; errors, questions and progress to {@code err}, where a terminal can
 * erase a line.
 */
public record SessionOutput(
        PrintStream out, PrintStream err, Palette outPalette, Palette errPalette, boolean errIsTerminal) {}

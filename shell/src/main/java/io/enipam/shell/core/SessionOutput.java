package io.enipam.shell.core;

import java.io.PrintStream;

/**
 * Where a session writes.
 *
 * @param out answers
 * @param err errors, questions and progress
 * @param outPalette whether {@code out} shows colour
 * @param errPalette whether {@code err} shows colour
 * @param errIsTerminal whether a line on {@code err} can be erased again
 */
public record SessionOutput(
        PrintStream out, PrintStream err, Palette outPalette, Palette errPalette, boolean errIsTerminal) {}

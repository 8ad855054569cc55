package io.enipam.shell.runbook;

/**
 * A step as its author wrote it.
 *
 * @param text on one line, with {@code ${name}} for values
 */
public record StepSource(SourcePosition place, String text) {}

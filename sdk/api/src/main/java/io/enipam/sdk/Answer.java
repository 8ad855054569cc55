package io.enipam.sdk;

/**
 * What a {@link Command} answers. Immutable and thread-safe. The host cuts off a table longer than 10,000 rows or a million characters,
 * a cell longer than 1,000, and a text longer than a million.
 */
public sealed interface Answer {
    /** Rows of text. */
    record Rows(DiagnosticTable table) implements Answer {}

    /** @param text lines, with line feeds between them */
    record Prose(String text) implements Answer {}

    /**
     * It was not done.
     *
     * @param kind {@link ErrorKind#NOT_FOUND}, {@link ErrorKind#CONFLICT} and the like; it decides the code that a program reads
     * @param why for an operator, in one line: what failed, and what to do
     */
    record Refusal(ErrorKind kind, String why) implements Answer {}

    static Answer table(DiagnosticTable table) {
        return new Rows(table);
    }

    static Answer text(String text) {
        return new Prose(text);
    }

    static Answer refuse(ErrorKind kind, String why) {
        return new Refusal(kind, why);
    }
}

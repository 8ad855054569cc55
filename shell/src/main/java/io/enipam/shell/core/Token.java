package io.enipam.shell.core;

/**
 * A piece of a line that may not be finished yet.
 *
 * @param start where it begins in the line
 * @param end where it ends, exclusive
 * @param text what it says without its quotes and backslashes
 * @param quote the quote that is open at its end; 0 if none is
 */
public record Token(Kind kind, int start, int end, String text, char quote) {
    /** What a piece is. */
    public enum Kind {
        WORD,
        /** A semicolon or the end of a line: the next word begins a command. */
        SEPARATOR,
        /** The next word begins a filter. */
        PIPE,
        /** The next word is a file that is written. */
        REDIRECT,
        COMMENT
    }

    /** Whether a quote is open at its end. */
    public boolean open() {
        return quote != 0;
    }
}

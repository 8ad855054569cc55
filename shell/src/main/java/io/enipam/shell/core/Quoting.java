package io.enipam.shell.core;

/** Writes a word so that {@link CommandLineSplitter} reads it as it is. */
public final class Quoting {
    private static final String SPECIAL = " \t'\"\\;|<>&\n";

    private Quoting() {}

    /** The word, in quotes if it needs any. */
    public static String quoted(String word) {
        return quoted(word, (char) 0, true);
    }

    /**
     * The word in quotes, if it needs any or one is open.
     *
     * @param open the quote that somebody has begun the word with; 0 if none
     * @param closed whether the word ends here; else its quote stays open for what follows
     */
    public static String quoted(String word, char open, boolean closed) {
        if (open == 0 && !special(word)) {
            return word;
        }
        char quote = open != 0 && !(open == '\'' && word.indexOf('\'') >= 0) ? open : preferred(word);
        String inside = quote == '"' ? word.replace("\\", "\\\\").replace("\"", "\\\"") : word;
        return quote + inside + (closed ? quote : "");
    }

    private static char preferred(String word) {
        return word.indexOf('\'') < 0 ? '\'' : '"';
    }

    private static boolean special(String word) {
        return word.isEmpty() || word.startsWith("#") || word.chars().anyMatch(c -> SPECIAL.indexOf(c) >= 0);
    }
}

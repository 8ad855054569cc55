package io.enipam.sdk;

/**
 * What all implementations of a {@link Journal} have in common: its bounds, as checks that throw {@link JournalException} of kind
 * {@link ErrorKind#QUOTA_EXHAUSTED}, and how a table's codec is called. Lengths are in characters, as {@link String#length()}
 * counts them.
 */
public final class JournalBounds {
    /** The most rows that the tables of one plugin have together. */
    public static final int MOST_ROWS = 1_000_000;

    /** How often a transaction runs at most, while others change what it reads. */
    public static final int MOST_ATTEMPTS = 64;

    private static final int LONGEST_KEY = 512;
    private static final int LONGEST_VALUE = 256 << 10;
    private static final int MOST_WRITES = 1_000;
    private static final int MOST_WRITTEN = 1 << 20;

    private JournalBounds() {}

    /** The key of a row, unless no row can have it. */
    public static String key(String key) {
        if (key.isEmpty() || key.length() > LONGEST_KEY || !isAllowed(key, false)) {
            throw beyond("a key of " + key.length() + " characters; 1 to " + LONGEST_KEY
                    + " are allowed, and no control characters or half surrogate pairs");
        }
        return key;
    }

    /** The text of a value, unless no row can have it. */
    public static String value(String text) {
        if (text.length() > LONGEST_VALUE || !isAllowed(text, true)) {
            throw beyond("a value of " + text.length() + " characters; " + LONGEST_VALUE
                    + " are allowed, and no half surrogate pairs");
        }
        return text;
    }

    /**
     * A value as its table's codec writes it.
     *
     * @param row for messages
     * @throws JournalException also of kind {@link ErrorKind#INTERNAL}, if the codec fails
     */
    public static <V> String encoded(Table<V> table, String row, V value) {
        String text;
        try {
            text = table.codec().write(value);
        } catch (RuntimeException e) {
            throw new JournalException(ErrorKind.INTERNAL, "the codec cannot write row " + row + ": " + e, e);
        }
        return value(text);
    }

    /**
     * The value of a row that was written by this version of its table.
     *
     * @param row for messages
     * @throws JournalException {@link ErrorKind#MISCONFIGURED} if the version is a newer one; {@link ErrorKind#INTERNAL} if the
     *     codec fails
     */
    public static <V> V decoded(Table<V> table, String row, int version, String text) {
        if (version > table.version()) {
            throw new JournalException(
                    ErrorKind.MISCONFIGURED,
                    "row " + row + " has version " + version + ", and this plugin knows up to " + table.version()
                            + ": install the plugin that wrote it, or a newer one");
        }
        try {
            return table.codec().read(version, text);
        } catch (RuntimeException e) {
            throw new JournalException(ErrorKind.INTERNAL, "the codec cannot read row " + row + ": " + e, e);
        }
    }

    /**
     * What one transaction has written so far.
     *
     * @param rows put and deleted
     * @param characters of their keys and values
     */
    public static void written(int rows, long characters) {
        if (rows > MOST_WRITES || characters > MOST_WRITTEN) {
            throw beyond("a transaction that writes " + rows + " rows and " + characters + " characters; " + MOST_WRITES
                    + " and " + MOST_WRITTEN + " are allowed: divide it");
        }
    }

    /**
     * Whether there is no half of a surrogate pair, and no control character unless these may be. Each row that is read or written comes
     * by here: a loop, as streams cost ten times as much.
     */
    private static boolean isAllowed(String text, boolean controls) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    return false;
                }
                i++;
            } else if (!controls && Character.isISOControl(c)) {
                return false;
            }
        }
        return true;
    }

    private static JournalException beyond(String what) {
        return new JournalException(ErrorKind.QUOTA_EXHAUSTED, what);
    }
}

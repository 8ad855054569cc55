package io.enipam.sdk;

/**
 * Writes values of a {@link Table} as text and reads them. Pure and thread-safe.
 *
 * <p>The text of a value comes back as it was written. By custom it is a JSON object, without blanks between its parts:
 * {@code db dump} and {@code db get} show that as an object, and any other text as a string.
 *
 * @param <V> the type of values, immutable
 */
public interface Codec<V> {
    /** The text of a value; equal values have equal texts. */
    String write(V value);

    /**
     * Reads what this codec, or that of an earlier version of the table, has written. A row keeps its version until it is put
     * again.
     *
     * @param version of the table when the row was put
     * @throws RuntimeException if the text is not one that was written for this version
     */
    V read(int version, String text);

    /**
     * Whether a value that was put may be kept and answered to readers, so that its text need not be read: it is immutable with all that it
     * has, and {@link #read} of its text gives an equal one. Then a row that a transaction puts several times may be
     * written once, when the transaction's function is through: what {@link #write} throws fails the commit, as if the put had thrown it.
     */
    default boolean keepsValues() {
        return false;
    }

    /** A codec for text as it is. */
    static Codec<String> text() {
        return new Codec<>() {
            @Override
            public String write(String value) {
                return value;
            }

            @Override
            public String read(int version, String text) {
                return text;
            }
        };
    }
}

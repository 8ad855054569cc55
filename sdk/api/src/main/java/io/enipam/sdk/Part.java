package io.enipam.sdk;

/**
 * An extension at work. What it does, it says by the interfaces that it implements besides; it may be several of them. The host
 * calls each method with a deadline, and counts what fails.
 *
 * <p>Thread-safe: the host may call several methods at once.
 */
public interface Part extends AutoCloseable {
    /**
     * Takes other settings while it works.
     *
     * @param now all settings of the plugin
     * @return whether they are in force; if not, the host closes this part and opens another one
     */
    default boolean reconfigure(Settings now) {
        return false;
    }

    /** Ends it: no thread, connection or file is left. The tables stay. Has no effect when called again. */
    @Override
    default void close() {}
}

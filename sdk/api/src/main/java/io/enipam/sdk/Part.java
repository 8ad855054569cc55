package io.enipam.sdk;

import java.util.List;

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

    /** Commands of the shell for as long as it is open; the same each time, at most 100. */
    default List<Command> commands() {
        return List.of();
    }

    /** What {@code doctor} looks at for as long as it is open; the same each time, at most 100, with different ids. */
    default List<Check> checks() {
        return List.of();
    }

    /** Services of gRPC on the daemon's socket for as long as it is open; the same each time, at most 100. */
    default List<RpcService> services() {
        return List.of();
    }

    /** Ends it: no thread, connection or file is left. The tables stay. Has no effect when called again. */
    @Override
    default void close() {}
}

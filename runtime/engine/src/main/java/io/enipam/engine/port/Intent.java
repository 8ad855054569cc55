package io.enipam.engine.port;

import java.time.Instant;

/**
 * A cloud operation that was begun and whose end is not yet on disk.
 *
 * @param token the operation's name: the request token of a create, the resource id of a dispose
 * @param action what was begun
 * @param since when
 */
public record Intent(String token, Action action, Instant since) {
    /** What was begun. */
    public enum Action {
        CREATE,
        DISPOSE
    }
}

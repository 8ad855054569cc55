package io.enipam.engine.pool;

import io.enipam.sdk.ErrorKind;
import java.time.Duration;
import java.time.Instant;

/**
 * Something that failed and is tried again, for inspection.
 *
 * @param failures in a row, at least 1
 * @param kind what kind of failure the last one was
 * @param message why the last try failed, one line for a person
 * @param at when that was
 * @param next when it is tried again
 * @param since when the first of them failed
 */
public record RetryState(int failures, ErrorKind kind, String message, Instant at, Instant next, Instant since) {
    /** The first failure. */
    public RetryState(int failures, ErrorKind kind, String message, Instant at, Instant next) {
        this(failures, kind, message, at, next, at);
    }

    /** The same by a clock that was set since: all dates are where they are as the clock goes now. */
    RetryState movedBy(Duration jump) {
        return new RetryState(failures, kind, message, at.plus(jump), next.plus(jump), since.plus(jump));
    }
}

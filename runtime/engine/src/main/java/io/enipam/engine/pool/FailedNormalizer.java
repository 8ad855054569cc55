package io.enipam.engine.pool;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.time.Duration;

/** A failure as a factory tells it, with what it left out filled in: its author may not mind nulls. */
final class FailedNormalizer {
    private FailedNormalizer() {}

    static Failed of(Failed failed) {
        ErrorKind kind = failed.kind();
        String message = failed.message();
        Duration retryAfter = failed.retryAfter();
        return new Failed(
                kind == null ? ErrorKind.INTERNAL : kind,
                message == null ? "the factory gives no reason" : message,
                retryAfter == null ? Duration.ZERO : retryAfter);
    }
}

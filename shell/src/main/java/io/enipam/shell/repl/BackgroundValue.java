package io.enipam.shell.repl;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Something that is being made in the background.
 *
 * @param value fails never
 */
record BackgroundValue<T>(CompletableFuture<T> value) {
    /** It, if it is there. */
    Optional<T> now() {
        return value.isDone() && !value.isCompletedExceptionally() ? Optional.of(value.join()) : Optional.empty();
    }

    /** It, if it is there in time. */
    Optional<T> within(Duration patience) {
        try {
            return Optional.of(value.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException | ExecutionException notThere) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}

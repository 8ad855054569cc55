package io.enipam.daemon;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** What another thread is opening. */
final class Futures {
    private Futures() {}

    /** Waits, and throws what the other thread threw. */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Waits until it is open, and does this; one that could not be opened has been reported already. */
    static <T> void whenOpened(CompletableFuture<T> opening, Consumer<T> action) {
        opening.handle((value, failure) -> failure == null ? Optional.of(value) : Optional.<T>empty())
                .join()
                .ifPresent(action);
    }
}

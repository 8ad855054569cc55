package io.enipam.acceptance;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Something that is done once, by the first who comes along after it was set. Thread-safe. */
final class OneShotAction {
    private final AtomicReference<Optional<Runnable>> waiting = new AtomicReference<>(Optional.empty());
    private volatile CountDownLatch sprung = new CountDownLatch(0);

    void set(Runnable action) {
        sprung = new CountDownLatch(1);
        waiting.set(Optional.of(action));
    }

    /** Somebody comes along. */
    void fire() {
        if (waiting.get().isPresent()) {
            waiting.getAndSet(Optional.empty()).ifPresent(action -> {
                action.run();
                sprung.countDown();
            });
        }
    }

    /** Waits until it has gone off, or takes it away if nobody came. */
    void await(Duration atMost) throws InterruptedException {
        if (!sprung.await(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            waiting.set(Optional.empty());
        }
    }
}

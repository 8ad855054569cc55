package io.enipam.emulator.cloud;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/** The cloud's clock, and how a call that takes a while lets time pass by it. Thread-safe. */
public interface CloudTime extends InstantSource {
    /** Returns when so much time has passed, zero or more. */
    void pause(Duration duration);

    /**
     * Returns when the calls of other clouds of the account have done what they do before this moment. Called before a call looks at what
     * these clouds share, or changes it.
     */
    default void awaitTurn() {}

    /** A clock beside which threads sleep. */
    static CloudTime sleepingBeside(InstantSource clock) {
        return new CloudTime() {
            @Override
            public Instant instant() {
                return clock.instant();
            }

            @Override
            public void pause(Duration duration) {
                sleep(duration);
            }
        };
    }

    /** Lets real time pass while a call is served. Throws UncheckedIOException if the server closes meanwhile. */
    static void sleep(Duration duration) {
        if (duration.isZero()) {
            return;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("the server is closing"));
        }
    }
}

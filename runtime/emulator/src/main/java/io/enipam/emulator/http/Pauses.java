package io.enipam.emulator.http;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How calls take time. */
public final class Pauses {
    private Pauses() {}

    /**
     * Lets real time pass.
     *
     * @throws UncheckedIOException if the server closes meanwhile
     */
    public static void pause(Duration duration) {
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

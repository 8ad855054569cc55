package io.enipam.store;

import io.enipam.engine.concurrent.Backoff;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When to try again what the disk refused: a first time at once, then after pauses that double, since each try may
 * write a whole journal file before it fails. Used by one thread at a time.
 */
final class HealingBackoff {
    private static final Backoff PAUSES = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(5));

    private final LongSupplier nanoTime;
    private int failures;
    private boolean tried;
    private long due;
    private boolean ill;

    /** @param nanoTime a monotonic clock, in nanoseconds */
    HealingBackoff(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Something was refused: to be tried again at once, unless that was the last thing tried before, too. */
    void failureBegan() {
        if (!ill) {
            ill = true;
            due = nanoTime.getAsLong();
            if (tried) {
                putOff();
            }
        }
    }

    /** A try failed. */
    void failed() {
        ill = true;
        putOff();
    }

    private void putOff() {
        tried = true;
        failures++;
        due = nanoTime.getAsLong() + PAUSES.pause(failures).toNanos();
    }

    /** A try succeeded; what comes of it is still to be seen. */
    void healed() {
        ill = false;
        tried = true;
    }

    /** Something was made durable. */
    void isHealthy() {
        if (!ill) {
            tried = false;
            failures = 0;
        }
    }

    /** Nanoseconds until the next try, 0 or less if it is due; {@link Long#MAX_VALUE} if there is nothing to try. */
    long untilDue() {
        return ill ? due - nanoTime.getAsLong() : Long.MAX_VALUE;
    }

    boolean isDue() {
        return untilDue() <= 0;
    }
}

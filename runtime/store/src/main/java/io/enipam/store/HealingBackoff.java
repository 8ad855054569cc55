package io.enipam.store;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When to try again what the disk refused: a first time at once, then after pauses that double, since each try may write a
 * whole journal file before it fails. Used by one thread at a time.
 */
final class HealingBackoff {
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final LongSupplier nanoTime;
    private long pause;
    private long due;
    private boolean ill;

    /** @param nanoTime tells passing time, in nanoseconds */
    HealingBackoff(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Something was refused: to be tried again at once, unless that was the last thing tried before, too. */
    void failureBegan() {
        if (!ill) {
            ill = true;
            due = nanoTime.getAsLong();
            if (pause > 0) {
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
        long next = pause == 0 ? FIRST.toNanos() : pause;
        due = nanoTime.getAsLong() + next;
        pause = Math.min(2 * next, LONGEST.toNanos());
    }

    /** A try succeeded; what comes of it is still to be seen. */
    void healed() {
        ill = false;
        if (pause == 0) {
            pause = FIRST.toNanos();
        }
    }

    /** Something was made durable. */
    void isHealthy() {
        if (!ill) {
            pause = 0;
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

package io.enipam.kubernetes.events;

import java.time.Instant;

/**
 * One thing that happened again and again, as one event with a count.
 *
 * @param name the event's name on the API server
 * @param first when it happened first
 * @param last when it happened last
 * @param count how often, from 1
 * @param lastNanos the same as {@code last}, by the clock that never jumps
 * @param toldNanos when the API server was told last, by the same clock
 */
record Series(String name, Instant first, Instant last, int count, long lastNanos, long toldNanos) {
    static Series begun(String name, Instant now, long nanos) {
        return new Series(name, now, now, 1, nanos, nanos);
    }

    Series again(Instant now, long nanos) {
        return new Series(name, first, now, count + 1, nanos, toldNanos);
    }

    Series toldAt(long nanos) {
        return new Series(name, first, last, count, lastNanos, nanos);
    }
}

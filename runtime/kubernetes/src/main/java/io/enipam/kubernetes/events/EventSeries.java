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
record EventSeries(String name, Instant first, Instant last, int count, long lastNanos, long toldNanos) {
    static EventSeries begun(String name, Instant now, long nanos) {
        return new EventSeries(name, now, now, 1, nanos, nanos);
    }

    EventSeries again(Instant now, long nanos) {
        return new EventSeries(name, first, now, count + 1, nanos, toldNanos);
    }

    EventSeries toldAt(long nanos) {
        return new EventSeries(name, first, last, count, lastNanos, nanos);
    }
}

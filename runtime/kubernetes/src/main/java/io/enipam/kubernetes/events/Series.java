package io.enipam.kubernetes.events;

import java.time.Instant;

/**
 * One thing that happened again and again, as one event with a count.
 *
 * @param name the event's name on the API server
 * @param first when it happened first
 * @param last when it happened last
 * @param count how often, from 1
 * @param told when the API server was told last
 */
record Series(String name, Instant first, Instant last, int count, Instant told) {
    static Series begun(String name, Instant now) {
        return new Series(name, now, now, 1, now);
    }

    Series again(Instant now) {
        return new Series(name, first, now, count + 1, told);
    }

    Series toldAt(Instant now) {
        return new Series(name, first, last, count, now);
    }
}

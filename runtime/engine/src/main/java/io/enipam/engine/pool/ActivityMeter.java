package io.enipam.engine.pool;

import io.enipam.sdk.Activity;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Counts what was lent and given back, by intervals of ten seconds over the last ten minutes, and keeps a smoothed time
 * of creates. Uses {@code nanoTime}, which does not jump. Guarded by the pool's lock.
 */
final class ActivityMeter {
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final long LENGTH = INTERVAL.toNanos();
    /** Ten minutes that are over, and the interval that runs. */
    private static final int INTERVALS = 61;
    /** Weight of the newest create in the smoothed time: the last dozen matter. */
    private static final double NEWEST = 0.15;

    private final int[] lent = new int[INTERVALS];
    private final int[] returned = new int[INTERVALS];
    private int current;
    private int used = 1;
    private long currentEnds;
    private double createNanos;

    ActivityMeter(long now) {
        currentEnds = now + LENGTH;
    }

    void lent(long now) {
        advance(now);
        lent[current]++;
    }

    void returned(long now) {
        advance(now);
        returned[current]++;
    }

    /** A create took so many nanoseconds. */
    void created(long nanos) {
        createNanos = createNanos == 0 ? nanos : createNanos + NEWEST * (nanos - createNanos);
    }

    private void advance(long now) {
        if (now - currentEnds < 0) {
            return;
        }
        long steps = (now - currentEnds) / LENGTH + 1;
        currentEnds += steps * LENGTH;
        for (long i = 0; i < Math.min(steps, INTERVALS); i++) {
            current = (current + 1) % INTERVALS;
            lent[current] = 0;
            returned[current] = 0;
        }
        used = (int) Math.min(INTERVALS, used + steps);
    }

    Activity read(long now) {
        advance(now);
        return new Activity(INTERVAL, oldestFirst(lent), oldestFirst(returned), Duration.ofNanos((long) createNanos));
    }

    private List<Integer> oldestFirst(int[] counts) {
        return IntStream.rangeClosed(current - used + 1, current)
                .mapToObj(at -> counts[Math.floorMod(at, INTERVALS)])
                .toList();
    }
}

package io.enipam.observability.history;

import io.enipam.aliyun.calls.LatencySnapshot.Bucket;
import io.enipam.aliyun.calls.LatencySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram with fixed buckets, 0.1 ms to 60 s: what grows from reading to reading, as scrapers want it. Thread-safe without a
 * lock; what is counted while somebody reads may be in the sum and not yet in a bucket.
 */
public final class TimingRecorder {
    private static final long[] BOUNDS_MICROS = {
        100,
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
        60_000_000
    };
    private static final long NANOS_IN_MICRO = 1_000;

    private final AtomicLongArray counts = new AtomicLongArray(BOUNDS_MICROS.length + 1);
    private final LongAdder sumNanos = new LongAdder();

    /** @param nanos less than nothing counts as nothing */
    public void add(long nanos) {
        long took = Math.max(0, nanos);
        int bucket = 0;
        while (bucket < BOUNDS_MICROS.length && took > BOUNDS_MICROS[bucket] * NANOS_IN_MICRO) {
            bucket++;
        }
        counts.incrementAndGet(bucket);
        sumNanos.add(took);
    }

    /** What was counted so far. */
    public LatencySnapshot timing() {
        List<Bucket> buckets = new ArrayList<>(counts.length());
        for (int i = 0; i < counts.length(); i++) {
            buckets.add(new Bucket(
                    i == BOUNDS_MICROS.length
                            ? Optional.empty()
                            : Optional.of(Duration.ofNanos(BOUNDS_MICROS[i] * NANOS_IN_MICRO)),
                    counts.get(i)));
        }
        return new LatencySnapshot(buckets, Duration.ofNanos(sumNanos.sum()), Duration.ZERO, Optional.empty());
    }
}

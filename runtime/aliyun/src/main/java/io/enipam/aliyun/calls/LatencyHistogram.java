package io.enipam.aliyun.calls;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.LongStream;

/**
 * How long things of one kind took, counted in fixed buckets: the Prometheus client's classic histogram, in nanoseconds, and the
 * shortest and the longest time beside it. Thread-safe; recording takes no lock.
 */
public final class LatencyHistogram {
    /** 1 ms to 20 s in steps of 1-2-5: small, and the same for every node. */
    private static final long[] CLOUD_MILLIS = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000
    };

    private final Histogram histogram;
    private final LongAccumulator shortest = new LongAccumulator(Math::min, Long.MAX_VALUE);
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);

    /** @param bounds upper bounds of the buckets, ascending; one more bucket takes what is longer */
    public LatencyHistogram(List<Duration> bounds) {
        this.histogram = Histogram.builder()
                .name("latency_nanos")
                .classicOnly()
                .classicUpperBounds(
                        bounds.stream().mapToDouble(Duration::toNanos).toArray())
                .withoutExemplars()
                .build();
    }

    /** One for calls over a network: 1 ms to 20 s. */
    static LatencyHistogram ofCalls() {
        return new LatencyHistogram(
                LongStream.of(CLOUD_MILLIS).mapToObj(Duration::ofMillis).toList());
    }

    /** Counts one; less than nothing counts as nothing. */
    public void add(Duration took) {
        add(took.toNanos());
    }

    /** The same in nanoseconds. */
    public void add(long nanos) {
        long counted = Math.max(0, nanos);
        histogram.observe(counted);
        shortest.accumulate(counted);
        longest.accumulate(counted);
    }

    /** What was counted so far. */
    public LatencySnapshot snapshot() {
        HistogramDataPointSnapshot counted = histogram.collect().getDataPoints().get(0);
        ClassicHistogramBuckets counts = counted.getClassicBuckets();
        List<LatencySnapshot.Bucket> buckets = new ArrayList<>(counts.size());
        for (int i = 0; i < counts.size(); i++) {
            double bound = counts.getUpperBound(i);
            buckets.add(new LatencySnapshot.Bucket(
                    Double.isInfinite(bound) ? Optional.empty() : Optional.of(Duration.ofNanos((long) bound)),
                    counts.getCount(i)));
        }
        return new LatencySnapshot(
                buckets,
                Duration.ofNanos((long) counted.getSum()),
                shortest.get() == Long.MAX_VALUE ? Duration.ZERO : Duration.ofNanos(shortest.get()),
                Optional.of(Duration.ofNanos(longest.get())));
    }
}

package io.enipam.aliyun.calls;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A histogram with fixed buckets, 1 ms to 20 s in steps of 1-2-5: small, and the same for every node. Not thread-safe. */
final class LatencyHistogram {
    private static final long[] BOUNDS_MILLIS = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000
    };
    private static final long NANOS_IN_MILLI = 1_000_000;

    private final long[] counts = new long[BOUNDS_MILLIS.length + 1];
    private long total;
    private long sumNanos;
    private long minNanos = Long.MAX_VALUE;
    private long maxNanos;

    void add(Duration took) {
        long nanos = Math.max(0, took.toNanos());
        counts[bucketOf(nanos)]++;
        total++;
        sumNanos += nanos;
        minNanos = Math.min(minNanos, nanos);
        maxNanos = Math.max(maxNanos, nanos);
    }

    private static int bucketOf(long nanos) {
        int bucket = 0;
        while (bucket < BOUNDS_MILLIS.length && nanos > BOUNDS_MILLIS[bucket] * NANOS_IN_MILLI) {
            bucket++;
        }
        return bucket;
    }

    long count() {
        return total;
    }

    Duration max() {
        return Duration.ofNanos(maxNanos);
    }

    /**
     * The time that this share, 0 to 1, of the calls did not exceed, as far as the buckets tell, and never outside of what was
     * counted; zero if there were none.
     */
    Duration quantile(double share) {
        return HistogramBuckets.quantile(buckets(), share, Optional.of(max()))
                .map(told -> Duration.ofNanos(Math.max(told.toNanos(), minNanos)))
                .orElse(Duration.ZERO);
    }

    LatencySnapshot timing() {
        return new LatencySnapshot(buckets(), Duration.ofNanos(sumNanos));
    }

    List<ApiQuotaStatus.Bucket> buckets() {
        List<ApiQuotaStatus.Bucket> buckets = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            Optional<Duration> most =
                    i == BOUNDS_MILLIS.length ? Optional.empty() : Optional.of(Duration.ofMillis(BOUNDS_MILLIS[i]));
            buckets.add(new ApiQuotaStatus.Bucket(most, counts[i]));
        }
        return buckets;
    }
}

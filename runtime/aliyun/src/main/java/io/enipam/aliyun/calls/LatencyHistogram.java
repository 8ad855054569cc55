package io.enipam.aliyun.calls;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * How long things of one kind took, counted in fixed buckets: the Prometheus client's classic histogram, in nanoseconds, and the
 * shortest and the longest time beside it. Thread-safe; recording takes no lock.
 */
public final class LatencyHistogram {
    /** 1 ms to 20 s in steps of 1-2-5: small, and the same for every node. */
    private static final List<Duration> CALLS = LongStream.of(
                    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
            .mapToObj(Duration::ofMillis)
            .toList();

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
        return new LatencyHistogram(CALLS);
    }

    public void add(Duration took) {
        add(took.toNanos());
    }

    /** Counts one, in nanoseconds; less than nothing counts as nothing. */
    public void add(long nanos) {
        long counted = Math.max(0, nanos);
        histogram.observe(counted);
        shortest.accumulate(counted);
        longest.accumulate(counted);
    }

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

    /**
     * How long things of one kind took, all together.
     *
     * @param buckets the histogram, the shortest times first; the last bucket has no upper bound; no bucket at all if
     *     nothing was counted
     * @param shortest the shortest one, zero if it is not known
     * @param longest the longest one, if it is known
     */
    public record LatencySnapshot(List<Bucket> buckets, Duration sum, Duration shortest, Optional<Duration> longest) {
        public static final LatencySnapshot NONE =
                new LatencySnapshot(List.of(), Duration.ZERO, Duration.ZERO, Optional.empty());

        /**
         * How many took more than the bound of the bucket before and at most this long.
         *
         * @param most empty: any longer time
         */
        public record Bucket(Optional<Duration> most, long count) {}

        public LatencySnapshot {
            buckets = List.copyOf(buckets);
        }

        public long count() {
            return buckets.stream().mapToLong(Bucket::count).sum();
        }

        /** Both together, of histograms with the same bounds. */
        public LatencySnapshot plus(LatencySnapshot other) {
            if (count() == 0 || other.count() == 0) {
                return buckets.isEmpty() || (count() == 0 && !other.buckets.isEmpty()) ? other : this;
            }
            return new LatencySnapshot(
                    added(other, 1),
                    sum.plus(other.sum),
                    shortest.compareTo(other.shortest) < 0 ? shortest : other.shortest,
                    longest.flatMap(mine -> other.longest.map(its -> mine.compareTo(its) > 0 ? mine : its)));
        }

        /** What was counted after an earlier snapshot; neither its shortest nor its longest time is known. */
        public LatencySnapshot since(LatencySnapshot earlier) {
            return new LatencySnapshot(
                    earlier.buckets.isEmpty() ? buckets : added(earlier, -1),
                    sum.minus(earlier.sum),
                    Duration.ZERO,
                    Optional.empty());
        }

        private List<Bucket> added(LatencySnapshot other, int times) {
            return IntStream.range(0, buckets.size())
                    .mapToObj(i -> new Bucket(
                            buckets.get(i).most(),
                            buckets.get(i).count()
                                    + times * other.buckets.get(i).count()))
                    .toList();
        }

        /**
         * The time that this share did not exceed, as far as the buckets show: in proportion within its bucket, and not
         * outside of the shortest and the longest time. The last bucket has no upper bound: where the longest time is
         * not known, its lower bound stands for it.
         *
         * @param share 0 to 1
         * @return empty if nothing was counted
         */
        public Optional<Duration> quantile(double share) {
            double rank = share * count();
            long before = 0;
            Duration low = Duration.ZERO;
            for (Bucket bucket : buckets) {
                if (bucket.count() > 0 && before + bucket.count() >= rank) {
                    Duration most = bucket.most().or(() -> longest).orElse(low);
                    Duration high =
                            longest.filter(known -> known.compareTo(most) < 0).orElse(most);
                    double part = (rank - before) / bucket.count();
                    Duration found = low.plusNanos((long) (high.minus(low).toNanos() * part));
                    return Optional.of(found.compareTo(shortest) < 0 ? shortest : found);
                }
                before += bucket.count();
                low = bucket.most().orElse(low);
            }
            return Optional.empty();
        }
    }
}

package io.enipam.aliyun.calls;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How long things of one kind took, all together.
 *
 * @param buckets the histogram, the shortest times first; the last bucket has no upper bound; no bucket at all if
 *     nothing was counted
 * @param sum of all of them
 * @param shortest the shortest one, zero if it is not known
 * @param longest the longest one, if it is known
 */
public record LatencySnapshot(List<Bucket> buckets, Duration sum, Duration shortest, Optional<Duration> longest) {
    /** Nothing was counted. */
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

    /** How many there were. */
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

    /**
     * What was counted after an earlier snapshot of the same histogram; neither its shortest nor its longest time is
     * known.
     */
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
                        buckets.get(i).count() + times * other.buckets.get(i).count()))
                .toList();
    }

    /**
     * The time that this share did not exceed, as far as the buckets show: in proportion within its bucket, and not
     * outside of the shortest and the longest time. The last bucket has no upper bound: where the longest time is not
     * known, its lower bound stands for it.
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

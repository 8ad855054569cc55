package io.enipam.aliyun.calls;

import io.enipam.aliyun.calls.ApiQuotaStatus.Bucket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Arithmetic on histograms that have the same buckets: each is a list of them, the shortest times first. */
public final class HistogramBuckets {
    private HistogramBuckets() {}

    /** Both together; an empty list counts as a histogram without anything in it. */
    public static List<Bucket> sum(List<Bucket> one, List<Bucket> other) {
        return one.isEmpty()
                ? other
                : IntStream.range(0, one.size())
                        .mapToObj(i -> new Bucket(
                                one.get(i).most(),
                                one.get(i).count() + other.get(i).count()))
                        .toList();
    }

    /** What came on top of an earlier reading of the same histogram. */
    public static List<Bucket> since(List<Bucket> now, Optional<List<Bucket>> earlier) {
        return earlier.map(before -> IntStream.range(0, now.size())
                        .mapToObj(i -> new Bucket(
                                now.get(i).most(),
                                now.get(i).count() - before.get(i).count()))
                        .toList())
                .orElse(now);
    }

    /**
     * The time that this share did not exceed, as far as the buckets tell: in proportion within its bucket, and never above the
     * longest time where that is known. The last bucket has no upper bound: where the longest time is not known either, its lower
     * one stands for it.
     *
     * @param share 0 to 1
     * @param longest the longest time that was counted, if somebody kept it
     * @return empty if nothing was counted
     */
    public static Optional<Duration> quantile(List<Bucket> buckets, double share, Optional<Duration> longest) {
        double rank = share * buckets.stream().mapToLong(Bucket::count).sum();
        long before = 0;
        Duration low = Duration.ZERO;
        for (Bucket bucket : buckets) {
            if (bucket.count() > 0 && before + bucket.count() >= rank) {
                Duration most = bucket.most().or(() -> longest).orElse(low);
                Duration high =
                        longest.filter(known -> known.compareTo(most) < 0).orElse(most);
                double part = (rank - before) / bucket.count();
                return Optional.of(low.plusNanos((long) (high.minus(low).toNanos() * part)));
            }
            before += bucket.count();
            low = bucket.most().orElse(low);
        }
        return Optional.empty();
    }
}

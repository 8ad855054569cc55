package io.enipam.daemon.history;

import io.enipam.aliyun.calls.ApiBudget.Bucket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Arithmetic on histograms that have the same buckets. */
final class Buckets {
    private Buckets() {}

    /** Both together; an empty list counts as a histogram without anything in it. */
    static List<Bucket> sum(List<Bucket> one, List<Bucket> other) {
        return one.isEmpty()
                ? other
                : IntStream.range(0, one.size())
                        .mapToObj(i -> new Bucket(
                                one.get(i).most(),
                                one.get(i).count() + other.get(i).count()))
                        .toList();
    }

    /** What came on top of an earlier reading of the same histogram. */
    static List<Bucket> since(List<Bucket> now, Optional<List<Bucket>> earlier) {
        return earlier.map(before -> IntStream.range(0, now.size())
                        .mapToObj(i -> new Bucket(
                                now.get(i).most(),
                                now.get(i).count() - before.get(i).count()))
                        .toList())
                .orElse(now);
    }

    /**
     * The time that this share did not exceed: in proportion within its bucket, and the lower bound of the last one, which
     * has no upper one. Empty if there is nothing.
     */
    static Optional<Duration> quantile(List<Bucket> buckets, double share) {
        double rank = share * buckets.stream().mapToLong(Bucket::count).sum();
        long before = 0;
        Duration low = Duration.ZERO;
        for (Bucket bucket : buckets) {
            if (bucket.count() > 0 && before + bucket.count() >= rank) {
                long width = bucket.most().orElse(low).minus(low).toNanos();
                return Optional.of(low.plusNanos((long) (width * (rank - before) / bucket.count())));
            }
            before += bucket.count();
            low = bucket.most().orElse(low);
        }
        return Optional.empty();
    }
}

package io.enipam.aliyun.calls;

import io.enipam.aliyun.calls.ApiBudget.Bucket;
import java.time.Duration;
import java.util.List;

/**
 * How long things took since the start, all together.
 *
 * @param buckets the histogram, the shortest times first; the last bucket has no upper bound
 * @param sum of all of them
 */
public record Timing(List<Bucket> buckets, Duration sum) {
    public Timing {
        buckets = List.copyOf(buckets);
    }

    /** How many there were. */
    public long count() {
        return buckets.stream().mapToLong(Bucket::count).sum();
    }
}

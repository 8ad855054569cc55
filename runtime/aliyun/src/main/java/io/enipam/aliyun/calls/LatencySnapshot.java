package io.enipam.aliyun.calls;

import io.enipam.aliyun.calls.ApiQuotaStatus.Bucket;
import java.time.Duration;
import java.util.List;

/**
 * How long things took since the start, all together.
 *
 * @param buckets the histogram, the shortest times first; the last bucket has no upper bound
 * @param sum of all of them
 */
public record LatencySnapshot(List<Bucket> buckets, Duration sum) {
    public LatencySnapshot {
        buckets = List.copyOf(buckets);
    }

    /** How many there were. */
    public long count() {
        return buckets.stream().mapToLong(Bucket::count).sum();
    }
}

package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.calls.ApiQuotaStatus.Bucket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HistogramBucketsTest {
    private static final Optional<Duration> UNKNOWN = Optional.empty();

    /** Calls of at most 10 ms, of at most 20 ms, and longer ones. */
    private static List<Bucket> buckets(long quick, long medium, long slow) {
        return List.of(
                new Bucket(Optional.of(Duration.ofMillis(10)), quick),
                new Bucket(Optional.of(Duration.ofMillis(20)), medium),
                new Bucket(Optional.empty(), slow));
    }

    @Test
    void aQuantileStandsInProportionWithinItsBucket() {
        assertThat(HistogramBuckets.quantile(buckets(4, 4, 0), 0.75, UNKNOWN)).hasValue(Duration.ofMillis(15));
        assertThat(HistogramBuckets.quantile(buckets(4, 4, 0), 0.25, UNKNOWN)).hasValue(Duration.ofMillis(5));
    }

    @Test
    void noQuantileIsAboveTheLongestTime() {
        Optional<Duration> longest = Optional.of(Duration.ofMillis(12));

        assertThat(HistogramBuckets.quantile(buckets(4, 4, 0), 1, longest)).isEqualTo(longest);
        assertThat(HistogramBuckets.quantile(buckets(4, 4, 0), 0.25, longest)).hasValue(Duration.ofMillis(5));
    }

    @Test
    void theLastBucketEndsAtTheLongestTimeOrElseAtItsLowerBound() {
        assertThat(HistogramBuckets.quantile(buckets(0, 0, 2), 1, Optional.of(Duration.ofSeconds(3))))
                .hasValue(Duration.ofSeconds(3));
        assertThat(HistogramBuckets.quantile(buckets(0, 0, 2), 1, UNKNOWN)).hasValue(Duration.ofMillis(20));
    }

    @Test
    void nothingHasNoQuantile() {
        assertThat(HistogramBuckets.quantile(buckets(0, 0, 0), 0.5, UNKNOWN)).isEmpty();
        assertThat(HistogramBuckets.quantile(List.of(), 0.5, UNKNOWN)).isEmpty();
    }

    @Test
    void whatCameSinceAnEarlierReadingAddsUpToIt() {
        List<Bucket> earlier = buckets(1, 2, 3);
        List<Bucket> now = buckets(5, 2, 4);

        assertThat(HistogramBuckets.since(now, Optional.of(earlier))).isEqualTo(buckets(4, 0, 1));
        assertThat(HistogramBuckets.since(now, Optional.empty())).isEqualTo(now);
        assertThat(HistogramBuckets.sum(earlier, HistogramBuckets.since(now, Optional.of(earlier))))
                .isEqualTo(now);
        assertThat(HistogramBuckets.sum(List.of(), now)).isEqualTo(now);
    }
}

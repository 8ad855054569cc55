package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot.Bucket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LatencySnapshotTest {
    private static final Optional<Duration> UNKNOWN = Optional.empty();

    /** Calls of at most 10 ms, of at most 20 ms, and longer ones. */
    private static LatencySnapshot buckets(long quick, long medium, long slow, Optional<Duration> longest) {
        return new LatencySnapshot(
                List.of(
                        new Bucket(Optional.of(Duration.ofMillis(10)), quick),
                        new Bucket(Optional.of(Duration.ofMillis(20)), medium),
                        new Bucket(Optional.empty(), slow)),
                Duration.ZERO,
                Duration.ZERO,
                longest);
    }

    @Test
    void aQuantileStandsInProportionWithinItsBucket() {
        assertThat(buckets(4, 4, 0, UNKNOWN).quantile(0.75)).hasValue(Duration.ofMillis(15));
        assertThat(buckets(4, 4, 0, UNKNOWN).quantile(0.25)).hasValue(Duration.ofMillis(5));
    }

    @Test
    void noQuantileIsAboveTheLongestTime() {
        Optional<Duration> longest = Optional.of(Duration.ofMillis(12));

        assertThat(buckets(4, 4, 0, longest).quantile(1)).isEqualTo(longest);
        assertThat(buckets(4, 4, 0, longest).quantile(0.25)).hasValue(Duration.ofMillis(5));
    }

    @Test
    void theLastBucketEndsAtTheLongestTimeOrElseAtItsLowerBound() {
        assertThat(buckets(0, 0, 2, Optional.of(Duration.ofSeconds(3))).quantile(1))
                .hasValue(Duration.ofSeconds(3));
        assertThat(buckets(0, 0, 2, UNKNOWN).quantile(1)).hasValue(Duration.ofMillis(20));
    }

    @Test
    void nothingHasNoQuantile() {
        assertThat(buckets(0, 0, 0, UNKNOWN).quantile(0.5)).isEmpty();
        assertThat(LatencySnapshot.NONE.quantile(0.5)).isEmpty();
    }

    @Test
    void whatCameSinceAnEarlierReadingAddsUpToIt() {
        LatencySnapshot earlier = buckets(1, 2, 3, UNKNOWN);
        LatencySnapshot now = buckets(5, 2, 4, UNKNOWN);

        assertThat(now.since(earlier)).isEqualTo(buckets(4, 0, 1, UNKNOWN));
        assertThat(now.since(LatencySnapshot.NONE)).isEqualTo(now);
        assertThat(earlier.plus(now.since(earlier))).isEqualTo(now);
        assertThat(LatencySnapshot.NONE.plus(now)).isEqualTo(now);
    }
}

package io.enipam.observability.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot.Bucket;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport.Kind;
import io.enipam.observability.history.Meters.ReconcileCount;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MetersTest {
    @Test
    void aTimeIsInTheFirstBucketThatIsNotBelowItAndNoneIsLost() {
        LatencyHistogram recorder = new LatencyHistogram(Meters.BOUNDS);
        recorder.add(-5);
        recorder.add(Duration.ofMillis(1).toNanos());
        recorder.add(Duration.ofMillis(1).toNanos() + 1);
        recorder.add(Duration.ofHours(2).toNanos());

        LatencySnapshot timing = recorder.snapshot();
        assertThat(timing.count()).isEqualTo(4);
        assertThat(timing.sum()).isEqualTo(Duration.ofHours(2).plusMillis(2).plusNanos(1));
        assertThat(timing.buckets())
                .filteredOn(bucket -> bucket.count() > 0)
                .containsExactly(
                        new Bucket(Optional.of(Duration.ofNanos(100_000)), 1),
                        new Bucket(Optional.of(Duration.ofMillis(1)), 1),
                        new Bucket(Optional.of(Duration.ofNanos(2_500_000)), 1),
                        new Bucket(Optional.empty(), 1));
    }

    @Test
    void aComparisonThatIsSeenTwiceCountsOnce() {
        Optional<ReconcileReport> first = Optional.of(report(1, Kind.LOST, Kind.LOST, Kind.ADOPTED));
        Optional<ReconcileReport> second = Optional.of(report(2, Kind.LOST));

        ReconcileCount count = ReconcileCount.NONE
                .with(Optional.empty())
                .with(first)
                .with(first)
                .with(second);

        assertThat(count.runs()).isEqualTo(2);
        assertThat(count.findings()).containsAllEntriesOf(Map.of(Kind.LOST, 3L, Kind.ADOPTED, 1L, Kind.CLASH, 0L));
    }

    private static ReconcileReport report(int second, Kind... kinds) {
        Instant at = Instant.ofEpochSecond(second);
        Resource resource = new Resource(
                new ResourceId("eni-1/10.0.0.1"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0.1/24")),
                "eni-1",
                Map.of());
        return new ReconcileReport(
                at,
                at,
                1,
                List.of(kinds).stream()
                        .map(kind -> new ReconcileReport.Finding(kind, resource, Optional.empty(), ""))
                        .toList(),
                List.of());
    }
}

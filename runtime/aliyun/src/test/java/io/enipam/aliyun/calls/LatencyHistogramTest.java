package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private final LatencyHistogram latencies = LatencyHistogram.ofCalls();

    @Test
    void theQuantilesOfOneCallAreThatCall() {
        latencies.add(Duration.ofMillis(96));

        assertThat(latencies.snapshot().quantile(0.5)).hasValue(Duration.ofMillis(96));
        assertThat(latencies.snapshot().quantile(0.99)).hasValue(Duration.ofMillis(96));
        assertThat(latencies.snapshot().longest()).hasValue(Duration.ofMillis(96));
    }

    @Test
    void noQuantileOfAFewCallsLiesOutsideOfThem() {
        latencies.add(Duration.ofMillis(90));
        latencies.add(Duration.ofMillis(96));

        assertThat(latencies.snapshot().quantile(0.1).orElseThrow())
                .isBetween(Duration.ofMillis(90), Duration.ofMillis(96));
        assertThat(latencies.snapshot().quantile(0.99).orElseThrow())
                .isBetween(Duration.ofMillis(90), Duration.ofMillis(96));
    }

    @Test
    void noCallHasNoTime() {
        assertThat(latencies.snapshot().quantile(0.5)).isEmpty();
    }
}

package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private final LatencyHistogram latencies = new LatencyHistogram();

    @Test
    void theQuantilesOfOneCallAreThatCall() {
        latencies.add(Duration.ofMillis(96));

        assertThat(latencies.quantile(0.5)).isEqualTo(Duration.ofMillis(96));
        assertThat(latencies.quantile(0.99)).isEqualTo(Duration.ofMillis(96));
        assertThat(latencies.max()).isEqualTo(Duration.ofMillis(96));
    }

    @Test
    void noQuantileOfAFewCallsLiesOutsideOfThem() {
        latencies.add(Duration.ofMillis(90));
        latencies.add(Duration.ofMillis(96));

        assertThat(latencies.quantile(0.1)).isBetween(Duration.ofMillis(90), Duration.ofMillis(96));
        assertThat(latencies.quantile(0.99)).isBetween(Duration.ofMillis(90), Duration.ofMillis(96));
    }

    @Test
    void noCallHasNoTime() {
        assertThat(latencies.quantile(0.5)).isEqualTo(Duration.ZERO);
    }
}

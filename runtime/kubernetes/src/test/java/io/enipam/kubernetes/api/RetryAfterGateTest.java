package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.api.ApiHttpClientFactory.RetryAfterGate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterGateTest {
    private long now = Long.MAX_VALUE - 1_000;
    private final RetryAfterGate rest = new RetryAfterGate(() -> now);

    @Test
    void itEndsWhenTheServerSaidAndAShorterOneDoesNotEndIt() {
        rest.onResponse(429, "5");
        rest.onResponse(503, "1");
        assertThat(rest.left()).isEqualTo(Duration.ofSeconds(5));
        now += Duration.ofSeconds(4).toNanos();
        assertThat(rest.left()).isEqualTo(Duration.ofSeconds(1));
        now += Duration.ofSeconds(2).toNanos();
        assertThat(rest.left()).isZero();
    }

    @Test
    void aDayOfItIsAMinute() {
        rest.onResponse(429, "86400");
        assertThat(rest.left()).isEqualTo(RetryAfterGate.LONGEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-3", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999"})
    void whatIsNoNumberOfSecondsAsksForNothing(String header) {
        rest.onResponse(429, header);
        rest.onResponse(200, "9");
        rest.onResponse(429, null);
        assertThat(rest.left()).isZero();
    }
}

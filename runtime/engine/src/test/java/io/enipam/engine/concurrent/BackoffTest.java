package io.enipam.engine.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final Backoff DOUBLING = Backoff.doubling(Duration.ofMillis(500), Duration.ofMinutes(1));

    @Test
    void pausesDoubleUpToTheLongest() {
        assertThat(DOUBLING.pause(1)).isEqualTo(Duration.ofMillis(500));
        assertThat(DOUBLING.pause(2)).isEqualTo(Duration.ofSeconds(1));
        assertThat(DOUBLING.pause(7)).isEqualTo(Duration.ofSeconds(32));
        assertThat(DOUBLING.pause(8)).isEqualTo(Duration.ofMinutes(1));
        assertThat(DOUBLING.pause(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void jitterStaysWithinItsBounds() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(DOUBLING.jittered(0.5, 1).pause(3, random))
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
            assertThat(DOUBLING.spread(0.2).pause(8, random)).isBetween(Duration.ofSeconds(48), Duration.ofSeconds(72));
        }
    }

    @Test
    void valuesThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> Backoff.doubling(Duration.ZERO, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Backoff.doubling(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DOUBLING.jittered(1, 0.5)).isInstanceOf(IllegalArgumentException.class);
    }
}

package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WatchStallDetectorTest {
    private final WatchStallDetector silence = new WatchStallDetector(new SplittableRandom(1));

    @Test
    void aConnectionOnWhichNotEvenABookmarkComesIsNone() {
        assertThat(at(true, "7", 0)).isFalse();
        assertThat(at(true, "7", 170)).isFalse();
        assertThat(at(true, "8", 175)).as("a bookmark came").isFalse();
        assertThat(at(true, "8", 350)).isFalse();
        assertThat(at(true, "8", 175 + 235)).isTrue();
        assertThat(at(true, "8", 175 + 240)).as("it begins anew").isFalse();
    }

    @Test
    void aListThatNeverEndsIsNone() {
        assertThat(at(false, null, -5)).isFalse();
        assertThat(at(false, null, 110)).isFalse();
        assertThat(at(false, null, 155)).isTrue();
    }

    @Test
    void aConnectionThatIsOpenedAnewNowAndThenIsOne() {
        for (int minute = 0; minute < 60; minute += 2) {
            assertThat(at(true, "7", minute * 60L)).isFalse();
            assertThat(at(false, "7", minute * 60L + 30)).isFalse();
        }
    }

    private boolean at(boolean open, String version, long second) {
        return silence.isStalled(open, version, Duration.ofSeconds(second).toNanos());
    }
}

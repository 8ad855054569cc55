package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.store.Journal.HealingBackoff;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HealingBackoffTest {
    private final AtomicLong nanos = new AtomicLong(-5); // System.nanoTime may be negative
    private final HealingBackoff pace = new HealingBackoff(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void thereIsNothingToTryWhileAllIsWell() {
        assertThat(pace.untilDue()).isEqualTo(Long.MAX_VALUE);
        assertThat(pace.isDue()).isFalse();
    }

    @Test
    void theFirstTryIsDueAtOnceAndEachFurtherOneAfterTwiceThePauseButNoMoreThanFiveSeconds() {
        pace.failureBegan();
        assertThat(pace.isDue()).isTrue();
        for (long pause : new long[] {200, 400, 800, 1600, 3200, 5000, 5000}) {
            pace.failed();
            assertThat(pace.untilDue()).isEqualTo(Duration.ofMillis(pause).toNanos());
            pass(Duration.ofMillis(pause));
            assertThat(pace.isDue()).isTrue();
        }
    }

    @Test
    void aDiskThatSeemsHealedAndFailsWithTheNextWriteIsNotTriedAtOnceAgain() {
        pace.failureBegan();
        pace.healed();
        pace.failureBegan();
        assertThat(pace.isDue()).isFalse();
        pass(Duration.ofMillis(200));
        assertThat(pace.isDue()).isTrue();
        pace.healed();
        pace.failureBegan();
        assertThat(pace.untilDue()).isEqualTo(Duration.ofMillis(400).toNanos());
    }

    @Test
    void onceSomethingWasWrittenTheNextTroubleIsTriedAtOnce() {
        pace.failureBegan();
        pace.failed();
        pace.failed();
        pace.healed();
        pace.isHealthy();
        pace.failureBegan();
        assertThat(pace.isDue()).isTrue();
    }

    @Test
    void commitsThatStillFitWhileThereIsNoNewFileDoNotHastenTheTries() {
        pace.failed();
        pace.isHealthy();
        pace.failed();
        assertThat(pace.untilDue()).isEqualTo(Duration.ofMillis(400).toNanos());
    }
}

package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who looks all the time knows since when something is so. */
class ConditionTrackerTest {
    private static final PoolSummary EMPTY =
            new PoolSummary("eni-ip", "watermark", new Watermarks(2, 5, 10), 0, 0, Map.of());

    private final VirtualTime time = new VirtualTime();
    private final AtomicBoolean drained = new AtomicBoolean();
    private final ConditionTracker watch = new ConditionTracker(time, () -> EMPTY, drained::get);

    private Instant look() {
        time.advance(Duration.ofSeconds(2));
        watch.look();
        return time.now();
    }

    @Test
    void aPoolIsBelowItsWatermarkSinceItWasSeenSo() {
        Instant first = look();
        look();

        assertThat(watch.facts().belowSince()).contains(first);
    }

    @Test
    void aPoolThatIsDrainedLacksNothingAndAfterwardsItsTimeBeginsAnew() {
        look();
        drained.set(true);
        look();
        assertThat(watch.facts().belowSince()).isEmpty();

        drained.set(false);
        Instant undone = look();
        assertThat(watch.facts().belowSince()).contains(undone);
    }

    /** A clock that can be set, and a thread that is kept between its two clocks. */
    private static final class BadClock implements TimeSource {
        private long nanos;
        private Duration set = Duration.ZERO;
        private Duration pause = Duration.ZERO;

        @Override
        public Instant now() {
            nanos += pause.toNanos();
            pause = Duration.ZERO;
            return Instant.parse("2026-01-01T00:00:00Z").plusNanos(nanos).plus(set);
        }

        @Override
        public long nanoTime() {
            return nanos;
        }
    }

    private final BadClock bad = new BadClock();
    private final ConditionTracker ofBadClock = new ConditionTracker(bad, () -> EMPTY, drained::get);

    @Test
    void aClockThatIsSetMakesNothingOld() {
        ofBadClock.look();
        bad.nanos += Duration.ofSeconds(2).toNanos();
        bad.set = Duration.ofHours(3);
        ofBadClock.look();

        assertThat(ofBadClock.facts().belowSince()).contains(bad.now().minusSeconds(2));
        assertThat(ofBadClock.facts().jumps())
                .singleElement()
                .matches(jump -> jump.by().equals(Duration.ofHours(3)));
    }

    @Test
    void whoIsKeptBetweenTheTwoClocksSeesNoJump() {
        ofBadClock.look();
        drained.set(true);
        ConditionTracker kept = new ConditionTracker(
                bad,
                () -> {
                    bad.pause = Duration.ofMinutes(1);
                    return EMPTY;
                },
                drained::get);
        kept.look();
        kept.look();

        assertThat(kept.facts().jumps()).isEmpty();
    }
}

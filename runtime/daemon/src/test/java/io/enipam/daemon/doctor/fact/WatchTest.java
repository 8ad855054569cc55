package io.enipam.daemon.doctor.fact;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.pool.PoolView;
import io.enipam.engine.testing.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who looks all the time knows since when something is so. */
class WatchTest {
    private final VirtualTime time = new VirtualTime();
    private final AtomicBoolean drained = new AtomicBoolean();
    private final Watch watch = new Watch(
            time, () -> new PoolView(time.now(), "eni-ip", "watermark", 10, 2, 5, 0, 0, List.of()), drained::get);

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
}

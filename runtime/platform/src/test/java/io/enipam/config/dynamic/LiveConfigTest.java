package io.enipam.config.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.config.RemoteConfig;
import io.enipam.config.RemoteConfig.Overlay;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who follows the configuration sees each change as a whole, and nobody who cannot holds up the others. */
class LiveConfigTest {
    private final RecordedEvents events = new RecordedEvents(new VirtualTime());
    private final DaemonConfig files = ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none());
    private final LiveConfig live = new LiveConfig(files, events);

    private DaemonConfig saying(int minIdle, int maxIdle) {
        String eniConf = "{\"min_pool_size\": " + minIdle + ", \"max_pool_size\": " + maxIdle + "}";
        Overlay overlay = new Overlay("configmap a/b", Optional.of(eniConf), Optional.empty());
        return files.withRemote(new RemoteConfig(Optional.of(overlay), List.of()));
    }

    @Test
    void aFollowerThatFailsIsToldAgainUntilItWorksAndTheOthersGoOn() {
        List<Integer> first = new ArrayList<>();
        List<Integer> second = new ArrayList<>();
        AtomicBoolean away = new AtomicBoolean(true);
        live.follow("the vSwitches", config -> {
            if (away.get()) {
                throw new IllegalStateException("the cloud does not answer");
            }
            first.add(config.engine().watermarks().minIdle());
        });
        live.follow(
                "watermarks", config -> second.add(config.engine().watermarks().minIdle()));

        live.apply(saying(6, 7));
        live.retryFollowers();

        assertThat(second).containsExactly(6);
        assertThat(live.conditions()).containsExactly("the vSwitches are as before: the cloud does not answer");
        assertThat(events.types()).containsExactly("ConfigNotApplied");
        away.set(false);
        live.retryFollowers();
        live.retryFollowers();
        assertThat(first).containsExactly(6);
        assertThat(live.conditions()).isEmpty();
        assertThat(events.types()).containsExactly("ConfigNotApplied", "ConfigApplied");
    }

    @Test
    void peopleAreAnsweredWhileAFollowerWaitsForTheCloud() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        live.follow("the vSwitches", config -> {
            waits.countDown();
            try {
                answered.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Thread turning = new Thread(() -> live.apply(saying(6, 7)));
        turning.start();
        assertThat(waits.await(60, TimeUnit.SECONDS)).isTrue();

        assertThat(live.now().engine().watermarks().minIdle()).isEqualTo(6);
        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(7);
        assertThat(live.conditions()).isEmpty();

        answered.countDown();
        turning.join();
    }
}

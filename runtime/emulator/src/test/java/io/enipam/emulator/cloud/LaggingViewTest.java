package io.enipam.emulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.cloud.VSwitch.VSwitchSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class LaggingViewTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final CloudState initial = InitialStateFactory.create(
            1, "r", List.of("z"), List.of("ecs.g7.large"), List.of(VSwitchSpec.parse("vsw-a", "10.0.0.0/24")), NOW);
    private final EmulatedEni eni = initial.enis().values().iterator().next();
    private final Queue<Duration> lags = new ArrayDeque<>();
    private final LaggingView view = new LaggingView(initial, lags::remove);

    @Test
    void aChangeShowsAfterItsLag() {
        change(Duration.ofSeconds(2), eni.assigned(List.of("10.0.0.9"), List.of(), List.of()), NOW);

        assertThat(addresses(NOW.plusMillis(1999))).containsExactly("10.0.0.1");
        assertThat(addresses(NOW.plusSeconds(2))).containsExactly("10.0.0.1", "10.0.0.9");
    }

    @Test
    void withoutLagAChangeShowsAtOnce() {
        change(Duration.ZERO, eni.assigned(List.of("10.0.0.9"), List.of(), List.of()), NOW);

        assertThat(addresses(NOW)).containsExactly("10.0.0.1", "10.0.0.9");
    }

    @Test
    void aLaterChangeNeverShowsBeforeAnEarlierOne() {
        EmulatedEni first = eni.assigned(List.of("10.0.0.9"), List.of(), List.of());
        change(Duration.ofSeconds(3), first, NOW);
        change(Duration.ZERO, first.assigned(List.of("10.0.0.10"), List.of(), List.of()), NOW.plusSeconds(1));

        assertThat(addresses(NOW.plusSeconds(2))).containsExactly("10.0.0.1");
        assertThat(addresses(NOW.plusSeconds(3))).containsExactly("10.0.0.1", "10.0.0.9", "10.0.0.10");
    }

    @Test
    void theEndOfAPassingStatusIsLateToo() {
        Instant ends = NOW.plusSeconds(5);
        change(Duration.ofSeconds(2), eni.becoming(EniStatus.DETACHING, Optional.of(ends)), NOW);

        assertThat(status(ends.plusSeconds(1))).isEqualTo(EniStatus.DETACHING);
        assertThat(status(ends.plusSeconds(2))).isEqualTo(EniStatus.AVAILABLE);
    }

    private void change(Duration lag, EmulatedEni changed, Instant now) {
        lags.add(lag);
        view.changed(initial.changed(changed), now);
    }

    private List<String> addresses(Instant now) {
        return view.at(now).eni(eni.id()).orElseThrow().addresses();
    }

    private EniStatus status(Instant now) {
        return view.at(now).eni(eni.id()).orElseThrow().attachment().status();
    }
}

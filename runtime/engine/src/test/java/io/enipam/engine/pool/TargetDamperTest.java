package io.enipam.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.pool.TargetDamper.Damped;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Activity;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TargetDamperTest {
    private static final int CAPACITY = 20;

    private final VirtualTime time = new VirtualTime();
    private final RecordedEvents events = new RecordedEvents(time);
    private final TargetDamper damper = new TargetDamper(time, events);

    @Test
    void aTargetThatRisesIsFollowedAtOnce() {
        asked(1, 3);

        assertThat(asked(5, 9)).isEqualTo(new Damped(Target.between(5, 9), Optional.empty()));
    }

    @Test
    void aTargetThatFallsIsFollowedAtOnceStepByStep() {
        asked(5, 9);

        assertThat(asked(1, 6)).isEqualTo(new Damped(Target.between(1, 6), Optional.empty()));
        assertThat(asked(1, 3)).isEqualTo(new Damped(Target.between(1, 3), Optional.empty()));
    }

    @Test
    void aTargetThatFallsSoonAfterItRoseIsFollowedLater() {
        asked(1, 3);
        asked(5, 9);

        assertThat(asked(1, 3)).isEqualTo(new Damped(Target.between(1, 9), Optional.of(TargetDamper.HOLD)));
        time.advance(Duration.ofSeconds(20));
        assertThat(asked(1, 3)).isEqualTo(new Damped(Target.between(1, 9), Optional.of(Duration.ofSeconds(10))));
        time.advance(Duration.ofSeconds(10));
        assertThat(asked(1, 3)).isEqualTo(new Damped(Target.between(1, 3), Optional.empty()));
    }

    @Test
    void aPeakDoesNotCountForEverWhereTheTargetRisesAllTheTime() {
        asked(0, 5);
        asked(0, 20);
        for (int i = 0; i < 30; i++) {
            asked(0, 5 + i % 2);
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(asked(0, 5).target().maxIdle()).isEqualTo(6);
    }

    @Test
    void aTargetThatGoesUpAndDownStaysUpAndIsNamed() {
        asked(0, 0);
        for (int i = 0; i < 100; i++) {
            asked(10, 10);
            assertThat(asked(0, 0).target()).isEqualTo(Target.between(0, 10));
            time.advance(Duration.ofMillis(100));
        }

        assertThat(damper.trouble().orElseThrow()).startsWith("policy warm changes its target up and down");
        assertThat(events.types()).containsExactly("PolicyTargetDamped");
        time.advance(Duration.ofMinutes(10));
        assertThat(damper.trouble()).isEmpty();
    }

    @Test
    void aTargetThatFollowsThePodsIsNotNamed() {
        for (int i = 0; i < 100; i++) {
            damper.damped("warm", Target.between(i % 2, i % 2), pool(i % 2, CAPACITY));
        }

        assertThat(damper.trouble()).isEmpty();
    }

    @Test
    void aTargetBeyondTheCapacityIsTheCapacityAndIsTold() {
        Damped damped = asked(Integer.MAX_VALUE, Integer.MAX_VALUE);

        assertThat(damped.target()).isEqualTo(Target.between(CAPACITY, CAPACITY));
        assertThat(damper.trouble().orElseThrow()).contains("asks for 2147483647 idle addresses", "can have 20");
        asked(Integer.MAX_VALUE, Integer.MAX_VALUE);
        assertThat(events.types()).containsExactly("PolicyTargetDamped");
        asked(1, 1_000);
        assertThat(damper.trouble())
                .as("an upper bound that is never met is no demand")
                .isEmpty();
    }

    @Test
    void aPoolThatDoesNotKnowItsCapacityYetBlamesNobody() {
        assertThat(damper.damped("warm", Target.between(5, 9), pool(0, 0)).target())
                .isEqualTo(Target.between(0, 0));
        assertThat(damper.trouble()).isEmpty();
    }

    @Test
    void anotherPolicyBeginsAnew() {
        asked(0, 0);
        asked(10, 10);
        damper.forget();

        assertThat(asked(0, 1)).isEqualTo(new Damped(Target.between(0, 1), Optional.empty()));
    }

    private Damped asked(int minIdle, int maxIdle) {
        return damper.damped("warm", Target.between(minIdle, maxIdle), pool(0, CAPACITY));
    }

    private PoolSnapshot pool(int waiting, int capacity) {
        return new PoolSnapshot(time.now(), ResourceKind.ENI_IP, capacity, 1, 3, 0, waiting, Activity.NONE, List.of());
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A pool that grew for a rush gives back by and by what nobody asks for any more. */
class IdleReclaimTest {
    private static final IdleReclaim RULE = new IdleReclaim(Duration.ofMinutes(30), Duration.ofMinutes(10), 2, 0.1);

    /** A node with six idle addresses, which the watermarks alone would keep for good. */
    private static EngineFixture withSixIdle(IdleReclaim rule) {
        EngineFixture node =
                new EngineFixture(20, EngineFixture.reclaiming(EngineFixture.config(1, 8, Duration.ZERO), rule));
        return filled(node);
    }

    private static EngineFixture filled(EngineFixture node) {
        node.start();
        for (int i = 0; i < 6; i++) {
            node.add("default/p" + i, "c-" + i);
        }
        for (int i = 0; i < 6; i++) {
            node.del("c-" + i);
        }
        return node;
    }

    private static int idle(EngineFixture node) {
        return node.count(ResourceState.IDLE);
    }

    @Test
    void withoutARuleTheWatermarksKeepThemForGood() {
        EngineFixture node = withSixIdle(IdleReclaim.none());
        node.time.advance(Duration.ofHours(5));
        assertThat(idle(node)).isGreaterThanOrEqualTo(6);
    }

    @Test
    void inBatchesDownToTheLowerWatermarkAndNoFurther() {
        EngineFixture node = withSixIdle(RULE);
        int before = idle(node);

        node.time.advance(Duration.ofMinutes(29));
        assertThat(idle(node)).isEqualTo(before);
        node.time.advance(Duration.ofMinutes(12));
        assertThat(idle(node)).isBetween(before - 4, before - 2);
        node.time.advance(Duration.ofHours(3));
        assertThat(idle(node)).isEqualTo(1);
        assertThat(node.events.types()).contains("IdleReclaimed");
        assertThat(node.cloud.contents()).hasSize(1);
    }

    @Test
    void whatIsUsedNowAndThenStays() {
        EngineFixture node = withSixIdle(RULE);
        int before = idle(node);

        for (int i = 0; i < 12; i++) {
            for (int pod = 0; pod < before; pod++) {
                node.add("default/r" + i + "-" + pod, "c-" + i + "-" + pod);
            }
            for (int pod = 0; pod < before; pod++) {
                node.del("c-" + i + "-" + pod);
            }
            node.time.advance(Duration.ofMinutes(15));
        }

        assertThat(idle(node)).isGreaterThanOrEqualTo(before);
    }

    @Test
    void anotherPolicyDecidesForItself() {
        PoolPolicy own = new PoolPolicy() {
            @Override
            public String name() {
                return "own";
            }
        };
        EngineFixture node = filled(
                new EngineFixture(20, EngineFixture.reclaiming(EngineFixture.config(1, 8, Duration.ZERO), RULE), own));
        int before = idle(node);
        node.time.advance(Duration.ofHours(5));
        assertThat(idle(node)).isEqualTo(before);
    }
}

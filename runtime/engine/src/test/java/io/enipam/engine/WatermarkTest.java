package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatermarkTest {
    @Test
    void thePoolIsFilledToTheLowerWatermarkAtStart() {
        EngineFixture node = EngineFixture.started(10, 3, 5);

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(3);
    }

    @Test
    void whatIsLentIsReplaced() {
        EngineFixture node = EngineFixture.started(10, 3, 5);

        node.add("default/a", "c-a");

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(3);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);
    }

    @Test
    void whatIsTooManyGoesBackToTheCloud() {
        EngineFixture node = EngineFixture.started(10, 0, 1);
        List<String> containers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            node.add("default/p" + i, "c-" + i);
            containers.add("c-" + i);
        }

        containers.forEach(node::del);

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(1);
        assertThat(node.cloud.contents()).hasSize(1);
        assertThat(node.db.contents().intents()).isEmpty();
        assertThat(node.events.all())
                .filteredOn(event -> event.type().equals("ResourceDisposed"))
                .hasSize(3)
                .allSatisfy(event -> assertThat(event.message()).containsPattern("^address [0-9.]+ went back"));
    }

    @Test
    void capacityBoundsEverythingTogether() {
        EngineFixture node = EngineFixture.started(4, 3, 5);
        node.add("default/a", "c-a");
        node.add("default/b", "c-b");

        assertThat(node.count(ResourceState.IDLE) + node.count(ResourceState.IN_USE))
                .isEqualTo(4);
    }

    @Test
    void aCloudThatIsAwayIsAskedAgainUntilTheWatermarkIsMet() {
        EngineFixture node = EngineFixture.started(4, 0, 5);
        node.cloud.down(true);
        node.pods.put("default/a");
        var waiting = node.adding("default/a", "c-a", Duration.ofMinutes(2));
        node.time.advance(Duration.ofSeconds(20));
        assertThat(waiting).isNotDone();

        node.cloud.down(false);
        node.time.advance(Duration.ofMinutes(1));

        assertThat(waiting).isCompleted();
    }

    @Test
    void theLongestIdleAddressIsLentFirst() {
        EngineFixture node = EngineFixture.started(2, 2, 5);
        String first = EngineFixture.host(node.add("default/a", "c-a"));
        String second = EngineFixture.host(node.add("default/b", "c-b"));
        node.del("c-b");
        node.del("c-a");

        assertThat(EngineFixture.host(node.add("default/c", "c-c"))).isEqualTo(second);
        assertThat(EngineFixture.host(node.add("default/d", "c-d"))).isEqualTo(first);
    }

    @Test
    void aPolicyThatAnswersNonsenseIsReplacedByTheBuiltInOne() {
        PoolPolicy nonsense = new PoolPolicy() {
            @Override
            public String name() {
                return "nonsense";
            }

            @Override
            public Pick pick(PoolSnapshot pool, PodRef pod) {
                throw new IllegalStateException("I have no idea");
            }

            @Override
            public Target target(PoolSnapshot pool) {
                return null;
            }

            @Override
            public Duration release(PoolSnapshot pool, io.enipam.sdk.Resource released, Duration configured) {
                return Duration.ofDays(365);
            }
        };
        EngineFixture node = new EngineFixture(5, EngineFixture.config(2, 3, Duration.ZERO), nonsense);
        node.start();

        node.add("default/a", "c-a");
        node.del("c-a");

        assertThat(node.count(ResourceState.IDLE)).isBetween(2, 3);
        assertThat(node.events.types()).contains("PolicyRejected");
    }

    @Test
    void aPolicysChoiceIsTaken() {
        PoolPolicy newestFirst = new PoolPolicy() {
            @Override
            public String name() {
                return "newest-first";
            }

            @Override
            public Pick pick(PoolSnapshot pool, PodRef pod) {
                var idle = pool.in(ResourceState.IDLE);
                return Pick.chosen(idle.get(idle.size() - 1).resource().id());
            }
        };
        EngineFixture node = new EngineFixture(5, EngineFixture.config(3, 3, Duration.ZERO), newestFirst);
        node.start();
        String newest = node.engine.pool().entries().get(2).resource().id().value();

        assertThat(node.add("default/a", "c-a").resource().id().value()).isEqualTo(newest);
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.sdk.Family;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An engine that goes on with other knobs while it serves. */
class ReconfigureTest {
    private static final Duration WAIT = Duration.ofSeconds(5);

    /** A node of ten addresses at most, with a pod for each name. */
    private static EngineFixture with(int minIdle, int maxIdle, String... pods) {
        EngineFixture node = EngineFixture.started(10, minIdle, maxIdle);
        for (String pod : pods) {
            node.add("default/" + pod, "c-" + pod);
        }
        return node;
    }

    private static EngineConfig knobs(int minIdle, int maxIdle, int capacity) {
        EngineConfig usual = EngineConfig.defaults();
        return new EngineConfig(
                new Watermarks(minIdle, maxIdle, capacity),
                usual.families(),
                Duration.ZERO,
                usual.createTimeout(),
                usual.intervals());
    }

    private static void turn(EngineFixture node, EngineConfig next) {
        node.engine.reconfigure(next);
        node.time.settle();
    }

    @Test
    void aHigherLowerWatermarkIsFilledAtOnceAndALowerUpperOneEmptied() {
        EngineFixture node = with(1, 2);

        turn(node, knobs(6, 8, 10));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(6);
        assertThat(node.engine.pool().summary().minIdle()).isEqualTo(6);
        assertThat(node.engine.snapshot().maxIdle()).isEqualTo(8);

        turn(node, knobs(0, 2, 10));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
        assertThat(node.cloud.contents()).hasSize(2);
    }

    @Test
    void aCapacityBelowWhatIsInUseTakesNothingFromAnybodyAndTheNextPodWaitsUntilThereIsRoom() {
        EngineFixture node = with(2, 3, "a", "b", "c", "d", "e");
        List<Lease> before = node.engine.leases();

        turn(node, knobs(0, 3, 2));

        assertThat(node.engine.leases()).isEqualTo(before);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(5);
        assertThat(node.count(ResourceState.IDLE)).as("what nobody has goes").isZero();
        node.pods.put("default/f");
        var waiting = node.adding("default/f", "c-f", WAIT);
        node.time.advance(WAIT);
        assertThat(EngineFixture.code(waiting)).isEqualTo(ErrorCode.POOL_EXHAUSTED);

        for (String pod : List.of("a", "b", "c", "d")) {
            node.del("c-" + pod);
        }
        assertThat(EngineFixture.host(node.add("default/f", "c-f"))).isNotEmpty();
        assertThat(node.engine.pool().entries()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void whoWaitsForRoomIsServedByAGreaterCapacity() {
        EngineFixture node = with(0, 3, "a", "b");
        turn(node, knobs(0, 3, 2));
        node.pods.put("default/c");
        var waiting = node.adding("default/c", "c-c", WAIT);
        assertThat(waiting).isNotDone();

        turn(node, knobs(0, 3, 3));

        assertThat(waiting).isCompleted();
    }

    @Test
    void whatIsGivenBackFromNowOnCoolsDownAsLongAsIsSaidNow() {
        EngineFixture node = with(0, 5, "a", "b");
        node.del("c-a");
        assertThat(node.count(ResourceState.COOLING)).isZero();

        EngineConfig next = knobs(0, 5, 10);
        turn(
                node,
                new EngineConfig(
                        new Watermarks(0, 5, 10),
                        next.families(),
                        Duration.ofMinutes(10),
                        next.createTimeout(),
                        next.intervals()));
        node.del("c-b");

        assertThat(node.count(ResourceState.COOLING)).isEqualTo(1);
        turn(node, knobs(0, 5, 10));
        node.time.advance(Duration.ofMinutes(9));
        assertThat(node.count(ResourceState.COOLING))
                .as("it goes on as it began")
                .isEqualTo(1);
        node.time.advance(Duration.ofMinutes(2));
        assertThat(node.count(ResourceState.COOLING)).isZero();
    }

    @Test
    void anIntervalThatIsAnotherOneBeginsAnewAndTheOthersGoOn() {
        EngineFixture node = with(0, 5);
        var agenda = node.engine.pendingWork();
        EngineConfig usual = knobs(0, 5, 10);

        node.time.advance(Duration.ofSeconds(30));
        turn(
                node,
                new EngineConfig(
                        new Watermarks(0, 5, 10),
                        usual.families(),
                        Duration.ZERO,
                        usual.createTimeout(),
                        new EngineConfig.Intervals(
                                Duration.ofSeconds(20),
                                usual.intervals().poolCheck(),
                                usual.intervals().reconcile())));

        var next = node.engine.pendingWork();
        assertThat(next.next().gc()).contains(node.time.now().plusSeconds(20));
        assertThat(next.next().check()).isEqualTo(agenda.next().check());
        assertThat(next.next().reconcile()).isEqualTo(agenda.next().reconcile());
        node.time.advance(Duration.ofSeconds(61));
        assertThat(node.engine.pendingWork().next().gc())
                .as("once in twenty seconds, and not twice")
                .hasValueSatisfying(at -> assertThat(at)
                        .isBetween(node.time.now(), node.time.now().plusSeconds(20)));
        assertThat(node.engine.status().lastGc()).isPresent();
    }

    @Test
    void idleAddressesAreReclaimedOnceThatIsAskedForAndNoMoreOnceItIsNot() {
        EngineFixture node = with(0, 8, "a", "b", "c", "d", "e", "f");
        for (String pod : List.of("a", "b", "c", "d", "e", "f")) {
            node.del("c-" + pod);
        }
        node.time.advance(Duration.ofHours(2));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(6);

        IdleReclaim rule = new IdleReclaim(Duration.ofMinutes(30), Duration.ofMinutes(10), 2, 0);
        turn(node, EngineFixture.reclaiming(knobs(0, 8, 10), rule));
        node.time.advance(Duration.ofMinutes(11));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(4);

        turn(node, knobs(0, 8, 10));
        node.time.advance(Duration.ofHours(2));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(4);
    }

    @Test
    void knobsThatMakeNoSenseChangeNothing() {
        EngineFixture node = with(2, 4);
        EngineConfig usual = knobs(1, 1, 10);

        assertThatThrownBy(() -> node.engine.reconfigure(knobs(4, 2, 10))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> node.engine.reconfigure(new EngineConfig(
                        new Watermarks(0, 1, 10),
                        Set.of(Family.IPV6),
                        Duration.ZERO,
                        usual.createTimeout(),
                        new EngineConfig.Intervals(
                                usual.intervals().gc(),
                                usual.intervals().poolCheck(),
                                usual.intervals().reconcile()))))
                .isInstanceOf(IllegalArgumentException.class);

        node.time.settle();
        assertThat(node.engine.pool().summary().maxIdle()).isEqualTo(4);
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void anOrderInForceStaysInForce() {
        EngineFixture node = with(1, 2);
        var now = node.time.now();
        node.engine.capacityOverride(io.enipam.engine.pool.CapacityOverride.warm(6, now, now.plusSeconds(3600)));
        node.time.settle();

        turn(node, knobs(0, 1, 10));

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(6);
        List<Integer> idle = new ArrayList<>();
        node.time.advance(Duration.ofHours(2));
        idle.add(node.count(ResourceState.IDLE));
        assertThat(idle).containsExactly(1);
    }
}

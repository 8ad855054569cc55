package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What somebody tells the pool over what its policy wants: to make some before a rush, or to empty itself. */
class CapacityOverrideTest {
    private static EngineFixture node(int capacity) {
        EngineFixture node = new EngineFixture(capacity, EngineFixture.config(1, 2, Duration.ZERO));
        node.start();
        return node;
    }

    private static int idle(EngineFixture node) {
        return node.count(ResourceState.IDLE);
    }

    private static void warm(EngineFixture node, int idle, Duration keep) {
        node.engine.capacityOverride(
                CapacityOverride.warm(idle, node.time.now(), node.time.now().plus(keep)));
        node.time.advance(Duration.ofSeconds(30));
    }

    private static void drain(EngineFixture node) {
        node.engine.capacityOverride(CapacityOverride.drained(node.time.now()));
        node.time.advance(Duration.ofSeconds(30));
    }

    @Test
    void aWarmPoolHasAsManyAsWereAskedForAndKeepsThemUntilTheEnd() {
        EngineFixture node = node(20);

        warm(node, 8, Duration.ofMinutes(10));
        assertThat(idle(node)).isEqualTo(8);
        node.time.advance(Duration.ofMinutes(8));
        assertThat(idle(node)).isEqualTo(8);

        node.time.advance(Duration.ofMinutes(3));
        assertThat(idle(node)).isLessThanOrEqualTo(2);
        assertThat(node.engine.capacityOverride().kind()).isEqualTo(CapacityOverride.Kind.NONE);
    }

    @Test
    void whatTheRushTookIsNotMadeASecondTime() {
        EngineFixture node = node(20);
        warm(node, 8, Duration.ofMinutes(10));

        for (int i = 0; i < 6; i++) {
            node.add("default/p" + i, "c-" + i);
        }
        node.time.advance(Duration.ofMinutes(1));

        assertThat(idle(node)).isEqualTo(2);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(6);
    }

    @Test
    void noOrderGoesBeyondTheCapacity() {
        EngineFixture node = node(5);
        CapacityOverride tooMany =
                CapacityOverride.warm(9, node.time.now(), node.time.now().plusSeconds(600));

        OverridePreview prospect = node.engine.previewOverride(tooMany);
        warm(node, 9, Duration.ofMinutes(10));

        assertThat(idle(node)).isEqualTo(5);
        assertThat(prospect.makes()).isEqualTo(5 - prospect.idle());
        assertThat(prospect.missing()).isEqualTo(4);
    }

    @Test
    void aDrainedPoolGivesBackWhatItMayAndMakesNothingButForWhoWaits() {
        EngineFixture node = node(20);
        node.add("default/a", "c-a");

        OverridePreview prospect = node.engine.previewOverride(CapacityOverride.drained(node.time.now()));
        int before = idle(node);
        drain(node);
        assertThat(idle(node)).isEqualTo(before - prospect.gives());
        assertThat(prospect.keeps()).isEqualTo(idle(node));
        assertThat(prospect.inUse()).isEqualTo(1);
        node.time.advance(Duration.ofHours(1));
        assertThat(idle(node)).isEqualTo(before - prospect.gives());

        node.add("default/b", "c-b");
        node.add("default/c", "c-c");
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(3);

        node.del("c-a");
        node.del("c-b");
        node.del("c-c");
        node.time.advance(Duration.ofMinutes(5));
        assertThat(node.engine.pool().entries()).isEmpty();
    }

    @Test
    void aDrainedPoolThatIsLetGoFillsAgain() {
        EngineFixture node = node(20);
        drain(node);
        assertThat(idle(node)).isZero();

        node.engine.capacityOverride(CapacityOverride.none(node.time.now()));
        node.time.advance(Duration.ofSeconds(30));

        assertThat(idle(node)).isBetween(1, 2);
    }

    @Test
    void anOrderThatWasGivenBeforeTheStartHoldsFromTheBeginning() {
        EngineFixture node = new EngineFixture(20, EngineFixture.config(3, 5, Duration.ZERO));
        node.engine.capacityOverride(CapacityOverride.drained(node.time.now()));
        node.start();
        node.time.advance(Duration.ofMinutes(5));

        assertThat(node.engine.pool().entries()).isEmpty();
    }

    @Test
    void aPolicyOfItsOwnIsNotAskedForAnotherOpinion() {
        PoolPolicy own = new PoolPolicy() {
            @Override
            public String name() {
                return "own";
            }

            @Override
            public Target target(PoolSnapshot pool) {
                return Target.between(4, 4);
            }
        };
        EngineFixture node = new EngineFixture(20, EngineFixture.config(1, 8, Duration.ZERO), own);
        node.start();
        node.time.advance(Duration.ofSeconds(30));
        assertThat(idle(node)).isEqualTo(4);

        drain(node);
        assertThat(idle(node)).isZero();
        warm(node, 6, Duration.ofMinutes(10));
        assertThat(idle(node)).isEqualTo(6);
        node.time.advance(Duration.ofMinutes(15));
        assertThat(idle(node)).isEqualTo(4);
    }

    @Test
    void aWarmOrderThatWasCarriedOutIsNotCarriedOutAgainAfterARestart() {
        EngineFixture node = new EngineFixture(20, EngineFixture.config(1, 8, Duration.ZERO));
        node.engine.capacityOverride(
                CapacityOverride.warm(8, node.time.now(), node.time.now().plusSeconds(600))
                        .carriedOut());
        node.start();
        node.time.advance(Duration.ofMinutes(1));

        assertThat(idle(node)).isLessThan(8);
        assertThat(node.engine.capacityOverride().met()).isTrue();
    }

    @Test
    void whoGaveAWarmOrderHearsThatItIsCarriedOutAndThatItIsOverEachOnce() {
        EngineFixture node = node(20);
        List<CapacityOverride> heard = new ArrayList<>();
        CapacityOverride order =
                CapacityOverride.warm(8, node.time.now(), node.time.now().plusSeconds(600));

        node.engine.capacityOverride(order, heard::add);
        assertThat(heard).isEmpty();
        node.time.advance(Duration.ofSeconds(30));
        assertThat(heard).containsExactly(order.carriedOut());
        node.time.advance(Duration.ofMinutes(30));

        assertThat(heard)
                .containsExactly(
                        order.carriedOut(), CapacityOverride.none(order.until().orElseThrow()));
    }

    @Test
    void whoGaveAnOrderThatAnotherReplacedHearsNoMoreOfIt() {
        EngineFixture node = node(20);
        List<CapacityOverride> heard = new ArrayList<>();
        node.engine.capacityOverride(
                CapacityOverride.warm(19, node.time.now(), node.time.now().plusSeconds(600)), heard::add);
        drain(node);
        node.time.advance(Duration.ofMinutes(30));

        assertThat(heard).isEmpty();
        assertThat(node.engine.capacityOverride().kind()).isEqualTo(CapacityOverride.Kind.DRAINED);
    }

    @Test
    void aClockThatIsSetBackMakesAWarmOrderLastNoLonger() {
        EngineFixture node = node(20);
        Instant wrong = node.time.now().plus(Duration.ofDays(5 * 365));
        node.engine.capacityOverride(CapacityOverride.warm(8, wrong, wrong.plus(Duration.ofMinutes(10))));
        node.time.advance(Duration.ofMinutes(9));
        assertThat(idle(node)).isEqualTo(8);

        node.time.advance(Duration.ofMinutes(2));

        assertThat(node.engine.capacityOverride().kind()).isEqualTo(CapacityOverride.Kind.NONE);
        assertThat(node.engine.capacityOverride().since()).isBefore(node.time.now());
        assertThat(idle(node)).isLessThanOrEqualTo(2);
    }

    @Test
    void anOrderUntilTheEndOfTimeEndsAfterADay() {
        EngineFixture node = node(20);
        warm(node, 8, Duration.ofMinutes(10));
        CapacityOverride endless = CapacityOverride.warm(4, Instant.MIN, Instant.MAX);

        node.engine.capacityOverride(endless);
        assertThat(node.engine.capacityOverride().kind()).isEqualTo(CapacityOverride.Kind.WARM);
        node.time.advance(Duration.ofDays(1));

        assertThat(node.engine.capacityOverride().kind()).isEqualTo(CapacityOverride.Kind.NONE);
    }

    @Test
    void nothingWaitsForTheEndOfAnOrderThatAnotherReplaced() {
        EngineFixture node = node(20);
        AtomicInteger waiting = new AtomicInteger();
        node.scheduler = new Scheduler() {
            @Override
            public void execute(Runnable task) {
                node.time.execute(task);
            }

            @Override
            public Cancellable after(Duration delay, Runnable task) {
                if (delay.compareTo(Duration.ofHours(23)) < 0) {
                    return node.time.after(delay, task);
                }
                waiting.incrementAndGet();
                return waiting::decrementAndGet;
            }
        };
        node.crashAndStart();
        for (int i = 1; i <= 100; i++) {
            node.engine.capacityOverride(
                    CapacityOverride.warm(i, node.time.now(), node.time.now().plus(Duration.ofHours(24))));
        }
        assertThat(waiting).hasValue(1);

        node.engine.capacityOverride(CapacityOverride.drained(node.time.now()));
        assertThat(waiting).hasValue(0);
    }
}

package io.enipam.node.overrides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.Kind;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.node.overrides.CapacityOverrides.OverrideDecision;
import io.enipam.platform.testing.FakeEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the pool was told outlives the daemon. */
class CapacityOverridesTest {
    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();
    private final RecordedEvents events = new RecordedEvents(time);

    private Path file() {
        return directory.resolve("order.json");
    }

    private CapacityOverrides of(FakeEngine engine) {
        return new CapacityOverrides(engine, file(), time, events, Runnable::run);
    }

    @Test
    void aDrainLastsOverARestartAndIsTold() {
        CapacityOverrides before = of(new FakeEngine(1));
        before.apply(before.drained(), "shell, uid 0");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.capacityOverride()).isEqualTo(before.inForce());
        assertThat(events.types()).contains("PoolDrained", "PoolStaysDrained");
    }

    @Test
    void whatWasWarmUntilAMomentBeforeTheStartIsForgotten() {
        CapacityOverrides before = of(new FakeEngine(1));
        before.apply(before.warm(9, Duration.ofMinutes(10)), "shell, uid 0");

        FakeEngine soon = new FakeEngine(1);
        of(soon).restore();
        time.advance(Duration.ofMinutes(10));
        FakeEngine late = new FakeEngine(1);
        of(late).restore();

        assertThat(soon.capacityOverride()).isEqualTo(before.inForce());
        assertThat(late.capacityOverride().kind()).isEqualTo(Kind.NONE);
    }

    @Test
    void whatIsUndoneStaysUndone() {
        CapacityOverrides orders = of(new FakeEngine(1));
        orders.apply(orders.drained(), "shell, uid 0");
        orders.apply(orders.none(), "shell, uid 0");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.capacityOverride().kind()).isEqualTo(Kind.NONE);
        assertThat(file()).doesNotExist();
    }

    @Test
    void anOrderThatCannotBeRememberedIsNotGiven() throws IOException {
        FakeEngine engine = new FakeEngine(1);
        Files.createDirectories(directory.resolve("order.json.new/in-the-way"));
        CapacityOverrides orders = of(engine);
        CapacityOverride drained = orders.drained();

        assertThatThrownBy(() -> orders.apply(drained, "shell, uid 0"))
                .isInstanceOf(IpamException.class)
                .hasMessageContaining("cannot be written down");
        assertThat(engine.capacityOverride().kind()).isEqualTo(Kind.NONE);
    }

    @Test
    void aDamagedFileIsToldAndStopsNoStart() throws IOException {
        for (String damaged :
                new String[] {"", "{", "{\"kind\":\"DRAINED\"}", "{\"kind\":\"X\",\"since\":\"2026-01-01T00:00:00Z\"}"
                }) {
            Files.writeString(file(), damaged);
            FakeEngine engine = new FakeEngine(1);
            of(engine).restore();

            assertThat(engine.capacityOverride().kind()).isEqualTo(Kind.NONE);
        }
        assertThat(events.types()).containsOnly("PoolOrderLost").hasSize(4);
    }

    @Test
    void whatWasMadeForAWarmOrderIsNotMadeAgainAfterARestart() {
        FakeEngine engine = new FakeEngine(1);
        CapacityOverrides before = of(engine);
        before.apply(before.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        engine.orderBecame(before.inForce().carriedOut());
        assertThat(events.types()).contains("PoolIsWarm");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.capacityOverride().met()).isTrue();
        assertThat(next.capacityOverride()).isEqualTo(before.inForce());
    }

    @Test
    void theEndOfAWarmOrderIsToldOnce() {
        FakeEngine engine = new FakeEngine(1);
        CapacityOverrides orders = of(engine);
        orders.apply(orders.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        time.advance(Duration.ofMinutes(10));
        engine.orderBecame(CapacityOverride.none(time.now()));

        assertThat(events.types()).containsExactly("PoolWarmed", "PoolOrderEnded");
        of(new FakeEngine(1)).restore();
        assertThat(events.types()).hasSize(2);
    }

    @Test
    void theEndOfAWarmOrderThatNoDaemonSawIsToldByTheNextStart() {
        CapacityOverrides before = of(new FakeEngine(1));
        before.apply(before.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        time.advance(Duration.ofHours(1));

        of(new FakeEngine(1)).restore();
        of(new FakeEngine(1)).restore();

        assertThat(events.types()).containsExactly("PoolWarmed", "PoolOrderEnded");
    }

    @Test
    void whatBecomesOfAnOrderThatAnotherReplacedIsNotNoted() {
        Deque<Runnable> late = new ArrayDeque<>();
        FakeEngine engine = new FakeEngine(1);
        CapacityOverrides orders = new CapacityOverrides(engine, file(), time, events, late::add);
        orders.apply(orders.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        engine.orderBecame(orders.inForce().carriedOut());
        orders.apply(orders.drained(), "shell, uid 7");
        late.forEach(Runnable::run);

        assertThat(events.types()).containsExactly("PoolWarmed", "PoolDrained");
        FakeEngine next = new FakeEngine(1);
        of(next).restore();
        assertThat(next.capacityOverride().kind()).isEqualTo(Kind.DRAINED);
    }

    @Test
    void whoGaveTheOrderIsKnownAfterARestartToo() {
        CapacityOverrides before = of(new FakeEngine(1));
        before.apply(before.drained(), "shell, uid 7");
        CapacityOverrides after = of(new FakeEngine(1));
        after.restore();

        assertThat(before.issued().by()).isEqualTo("shell, uid 7");
        assertThat(after.issued()).isEqualTo(before.issued());
    }

    @Test
    void noOrderOfAnotherComesBetweenWhatIsInForceAndWhatIsDecidedByIt() {
        FakeEngine engine = new FakeEngine(1);
        CapacityOverrides orders = of(engine);
        orders.apply(orders.warm(9, Duration.ofMinutes(10)), "shell, uid 7");

        OverrideDecision undo = orders.apply(
                before -> {
                    assertThat(Thread.holdsLock(orders)).isTrue();
                    return before.kind() == Kind.DRAINED ? orders.none() : before;
                },
                "shell, uid 0");

        assertThat(undo.changes()).isFalse();
        assertThat(orders.issued().by()).isEqualTo("shell, uid 7");
        assertThat(engine.capacityOverride().kind()).isEqualTo(Kind.WARM);
    }

    @Test
    void whatIsOnlyWeighedIsNotGiven() {
        FakeEngine engine = new FakeEngine(1);
        CapacityOverrides orders = of(engine);

        assertThat(orders.preview(before -> orders.drained()).changes()).isTrue();

        assertThat(engine.capacityOverride().kind()).isEqualTo(Kind.NONE);
        assertThat(file()).doesNotExist();
    }

    @Test
    void aWarmOrderOfAClockThatWasYearsAheadLastsNoLongerOverManyStarts() {
        CapacityOverrides before = of(new FakeEngine(1));
        Instant wrong = time.now().plus(Duration.ofDays(5 * 365));
        before.apply(CapacityOverride.warm(9, wrong, wrong.plus(Duration.ofMinutes(10))), "shell, uid 7");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();
        assertThat(next.capacityOverride()).isEqualTo(before.warm(9, Duration.ofMinutes(10)));

        time.advance(Duration.ofMinutes(6));
        of(new FakeEngine(1)).restore();
        time.advance(Duration.ofMinutes(6));
        FakeEngine last = new FakeEngine(1);
        of(last).restore();
        assertThat(last.capacityOverride().kind()).isEqualTo(Kind.NONE);
    }
}

package io.enipam.daemon.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.daemon.testing.FakeEngine;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.StandingOrder;
import io.enipam.engine.pool.StandingOrder.Kind;
import io.enipam.engine.testing.RecordedEvents;
import io.enipam.engine.testing.VirtualTime;
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
class StandingOrdersTest {
    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();
    private final RecordedEvents events = new RecordedEvents(time);

    private Path file() {
        return directory.resolve("order.json");
    }

    private StandingOrders of(FakeEngine engine) {
        return new StandingOrders(engine, file(), time, events, Runnable::run);
    }

    @Test
    void aDrainLastsOverARestartAndIsTold() {
        StandingOrders before = of(new FakeEngine(1));
        before.give(before.drained(), "shell, uid 0");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.order()).isEqualTo(before.inForce());
        assertThat(events.types()).contains("PoolDrained", "PoolStaysDrained");
    }

    @Test
    void whatWasWarmUntilAMomentBeforeTheStartIsForgotten() {
        StandingOrders before = of(new FakeEngine(1));
        before.give(before.warm(9, Duration.ofMinutes(10)), "shell, uid 0");

        FakeEngine soon = new FakeEngine(1);
        of(soon).restore();
        time.advance(Duration.ofMinutes(10));
        FakeEngine late = new FakeEngine(1);
        of(late).restore();

        assertThat(soon.order()).isEqualTo(before.inForce());
        assertThat(late.order().kind()).isEqualTo(Kind.NONE);
    }

    @Test
    void whatIsUndoneStaysUndone() {
        StandingOrders orders = of(new FakeEngine(1));
        orders.give(orders.drained(), "shell, uid 0");
        orders.give(orders.none(), "shell, uid 0");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.order().kind()).isEqualTo(Kind.NONE);
        assertThat(file()).doesNotExist();
    }

    @Test
    void anOrderThatCannotBeRememberedIsNotGiven() throws IOException {
        FakeEngine engine = new FakeEngine(1);
        Files.createDirectories(directory.resolve("order.json.new/in-the-way"));
        StandingOrders orders = of(engine);
        StandingOrder drained = orders.drained();

        assertThatThrownBy(() -> orders.give(drained, "shell, uid 0"))
                .isInstanceOf(IpamException.class)
                .hasMessageContaining("cannot be written down");
        assertThat(engine.order().kind()).isEqualTo(Kind.NONE);
    }

    @Test
    void aDamagedFileIsToldAndStopsNoStart() throws IOException {
        for (String damaged :
                new String[] {"", "{", "{\"kind\":\"DRAINED\"}", "{\"kind\":\"X\",\"since\":\"2026-01-01T00:00:00Z\"}"
                }) {
            Files.writeString(file(), damaged);
            FakeEngine engine = new FakeEngine(1);
            of(engine).restore();

            assertThat(engine.order().kind()).isEqualTo(Kind.NONE);
        }
        assertThat(events.types()).containsOnly("PoolOrderLost").hasSize(4);
    }

    @Test
    void whatWasMadeForAWarmOrderIsNotMadeAgainAfterARestart() {
        FakeEngine engine = new FakeEngine(1);
        StandingOrders before = of(engine);
        before.give(before.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        engine.orderBecame(before.inForce().carriedOut());
        assertThat(events.types()).contains("PoolIsWarm");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.order().met()).isTrue();
        assertThat(next.order()).isEqualTo(before.inForce());
    }

    @Test
    void theEndOfAWarmOrderIsToldOnce() {
        FakeEngine engine = new FakeEngine(1);
        StandingOrders orders = of(engine);
        orders.give(orders.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        time.advance(Duration.ofMinutes(10));
        engine.orderBecame(StandingOrder.none(time.now()));

        assertThat(events.types()).containsExactly("PoolWarmed", "PoolOrderEnded");
        of(new FakeEngine(1)).restore();
        assertThat(events.types()).hasSize(2);
    }

    @Test
    void theEndOfAWarmOrderThatNoDaemonSawIsToldByTheNextStart() {
        StandingOrders before = of(new FakeEngine(1));
        before.give(before.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        time.advance(Duration.ofHours(1));

        of(new FakeEngine(1)).restore();
        of(new FakeEngine(1)).restore();

        assertThat(events.types()).containsExactly("PoolWarmed", "PoolOrderEnded");
    }

    @Test
    void whatBecomesOfAnOrderThatAnotherReplacedIsNotNoted() {
        Deque<Runnable> late = new ArrayDeque<>();
        FakeEngine engine = new FakeEngine(1);
        StandingOrders orders = new StandingOrders(engine, file(), time, events, late::add);
        orders.give(orders.warm(9, Duration.ofMinutes(10)), "shell, uid 0");
        engine.orderBecame(orders.inForce().carriedOut());
        orders.give(orders.drained(), "shell, uid 7");
        late.forEach(Runnable::run);

        assertThat(events.types()).containsExactly("PoolWarmed", "PoolDrained");
        FakeEngine next = new FakeEngine(1);
        of(next).restore();
        assertThat(next.order().kind()).isEqualTo(Kind.DRAINED);
    }

    @Test
    void whoGaveTheOrderIsKnownAfterARestartToo() {
        StandingOrders before = of(new FakeEngine(1));
        before.give(before.drained(), "shell, uid 7");
        StandingOrders after = of(new FakeEngine(1));
        after.restore();

        assertThat(before.given().by()).isEqualTo("shell, uid 7");
        assertThat(after.given()).isEqualTo(before.given());
    }

    @Test
    void noOrderOfAnotherComesBetweenWhatIsInForceAndWhatIsDecidedByIt() {
        FakeEngine engine = new FakeEngine(1);
        StandingOrders orders = of(engine);
        orders.give(orders.warm(9, Duration.ofMinutes(10)), "shell, uid 7");

        Decision undo = orders.give(
                before -> {
                    assertThat(Thread.holdsLock(orders)).isTrue();
                    return before.kind() == Kind.DRAINED ? orders.none() : before;
                },
                "shell, uid 0");

        assertThat(undo.changes()).isFalse();
        assertThat(orders.given().by()).isEqualTo("shell, uid 7");
        assertThat(engine.order().kind()).isEqualTo(Kind.WARM);
    }

    @Test
    void whatIsOnlyWeighedIsNotGiven() {
        FakeEngine engine = new FakeEngine(1);
        StandingOrders orders = of(engine);

        assertThat(orders.weigh(before -> orders.drained()).changes()).isTrue();

        assertThat(engine.order().kind()).isEqualTo(Kind.NONE);
        assertThat(file()).doesNotExist();
    }

    @Test
    void aWarmOrderOfAClockThatWasYearsAheadLastsNoLongerOverManyStarts() {
        StandingOrders before = of(new FakeEngine(1));
        Instant wrong = time.now().plus(Duration.ofDays(5 * 365));
        before.give(StandingOrder.warm(9, wrong, wrong.plus(Duration.ofMinutes(10))), "shell, uid 7");

        FakeEngine next = new FakeEngine(1);
        of(next).restore();
        assertThat(next.order()).isEqualTo(before.warm(9, Duration.ofMinutes(10)));

        time.advance(Duration.ofMinutes(6));
        of(new FakeEngine(1)).restore();
        time.advance(Duration.ofMinutes(6));
        FakeEngine last = new FakeEngine(1);
        of(last).restore();
        assertThat(last.order().kind()).isEqualTo(Kind.NONE);
    }
}

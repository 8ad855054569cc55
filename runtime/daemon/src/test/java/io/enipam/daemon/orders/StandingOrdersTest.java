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
        return new StandingOrders(engine, file(), time, events);
    }

    @Test
    void aDrainLastsOverARestartAndIsTold() {
        StandingOrders before = of(new FakeEngine(1));
        before.give(before.drained());

        FakeEngine next = new FakeEngine(1);
        of(next).restore();

        assertThat(next.order()).isEqualTo(before.inForce());
        assertThat(events.types()).contains("PoolDrained", "PoolStaysDrained");
    }

    @Test
    void whatWasWarmUntilAMomentBeforeTheStartIsForgotten() {
        StandingOrders before = of(new FakeEngine(1));
        before.give(before.warm(9, Duration.ofMinutes(10)));

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
        orders.give(orders.drained());
        orders.give(orders.none());

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

        assertThatThrownBy(() -> orders.give(drained))
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
}

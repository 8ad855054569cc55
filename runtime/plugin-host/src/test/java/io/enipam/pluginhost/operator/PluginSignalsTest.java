package io.enipam.pluginhost.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Event;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.pluginhost.operator.PluginSignals.Metric;
import io.enipam.sdk.Meter;
import io.enipam.sdk.PluginEvent;
import io.enipam.sdk.Signals;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PluginSignalsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorScheduler engine = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final RecordedEvents events = new RecordedEvents(time);
    private final PluginGuard guard = new PluginGuard(
            "host-local", getClass().getClassLoader(), GuardLimits.DEFAULT, time, engine, engine, health -> {});
    private final PluginSignals signals = new PluginSignals("host-local", guard::calls, time, engine, events);
    private final Signals lent = signals.lend();

    @AfterEach
    void close() {
        guard.close();
        engine.close();
    }

    private Optional<Map<List<String>, Double>> values(String metric) {
        return signals.metrics().stream()
                .filter(each -> each.name().equals("enipam_plugin_host_local_" + metric))
                .findFirst()
                .map(Metric::values);
    }

    @Test
    void aGaugeThatHangsDelaysNoScrapeAndNoOtherGaugeForLong() {
        CountDownLatch returned = new CountDownLatch(1);
        lent.gauge(Meter.of("a_first", "One."), () -> 1);
        lent.gauge(Meter.of("hangs", "Hangs."), () -> {
            while (true) {
                try {
                    returned.await();
                    return 2;
                } catch (InterruptedException e) {
                    continue; // it does not mind
                }
            }
        });
        lent.gauge(Meter.of("last", "Three."), () -> 3);

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(values("a_first").orElseThrow()).containsValue(1.0);
            assertThat(values("last").orElseThrow()).containsValue(3.0);
            assertThat(values("hangs").orElseThrow()).isEmpty();
        });
        returned.countDown();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(values("hangs").orElseThrow()).containsValue(2.0));
    }

    @Test
    void whatIsLentEndsWithThePartAndCountersGoOn() {
        Meter grants = Meter.of("grants", "Grants.");
        lent.counter(grants).add(2);
        lent.counter(grants).add(-5);
        lent.gauge(Meter.of("free", "Free."), () -> 7);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(values("free").orElseThrow()).containsValue(7.0));

        signals.end(lent);

        lent.gauge(Meter.of("free", "Free."), () -> 8);
        lent.event(PluginEvent.info("Late", "x", "Nothing."));
        assertThat(values("free").orElseThrow()).isEmpty();
        assertThat(events.all()).isEmpty();
        signals.lend().counter(grants).add(1);
        assertThat(values("grants").orElseThrow()).containsEntry(List.of("host-local"), 3.0);
    }

    @Test
    void labelValuesAreBounded() {
        Meter grants = Meter.of("grants", "Grants.", "range", "family");
        for (int i = 0; i < 2 * Signals.MOST_SERIES; i++) {
            lent.counter(grants, "r" + i, "x".repeat(100) + "\n").add(1);
        }

        Map<List<String>, Double> values = values("grants").orElseThrow();
        assertThat(values).hasSize(Signals.MOST_SERIES + 1);
        assertThat(values).containsEntry(List.of("host-local", "other", "other"), (double) Signals.MOST_SERIES);
        assertThat(values).containsKey(List.of("host-local", "r0", "x".repeat(64)));
        assertThat(signals.overflowing()).containsExactly("enipam_plugin_host_local_grants");
    }

    @Test
    void aMeterIsOneThing() {
        lent.counter(Meter.of("grants", "Grants.")).add(1);

        assertThatThrownBy(() -> lent.counter(Meter.of("grants", "Other."))).hasMessageContaining("another meter");
        assertThatThrownBy(() -> lent.gauge(Meter.of("grants", "Grants."), () -> 1))
                .hasMessageContaining("another meter");
        assertThatThrownBy(() -> lent.counter(Meter.of("x", "X.", "label")))
                .hasMessageContaining("has the labels [label], got 0 values");
        PluginSignals overdue = new PluginSignals("overdue", guard::calls, time, engine, events);
        assertThatThrownBy(() -> overdue.lend().counter(Meter.of("calls", "Mine.")))
                .hasMessageContaining("no place");
    }

    @Test
    void eventsAreLimitedAndNameThePlugin() {
        for (int i = 0; i < 200; i++) {
            lent.event(PluginEvent.error("Type" + i % 30, "subject", "It \u001b[2J happened."));
        }

        List<Event> mine = events.all().stream()
                .filter(event -> event.type().startsWith("host-local/"))
                .toList();
        assertThat(mine).hasSizeBetween(60, 100);
        assertThat(mine.stream().map(Event::type).distinct().count()).isEqualTo(21);
        assertThat(mine).allSatisfy(event -> {
            assertThat(event.message()).doesNotContain("\u001b");
            assertThat(event.attributes()).containsEntry("plugin", "host-local");
        });
        assertThat(events.all()).extracting(Event::type).contains("PluginEventsDropped", "host-local/other");
    }
}

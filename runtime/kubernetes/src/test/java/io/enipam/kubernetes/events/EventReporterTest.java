package io.enipam.kubernetes.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.events.EventReporter.EventCorrelator;
import io.enipam.kubernetes.events.EventReporter.EventNotice;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventReporterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final PodRef WEB = new PodRef("shop", "web-0");

    private final FakeApiServer server = new FakeApiServer();
    private final AtomicInteger requests = new AtomicInteger();
    private final ApiServerClient calls = server.calls((request, code) -> requests.incrementAndGet());
    private final EventReporter reporter = new EventReporter(calls, new VirtualTime(), "node-1");

    @AfterEach
    void close() {
        reporter.close();
        calls.close();
        server.close();
    }

    @Test
    void aPodsEventIsWhereDescribeLooksForIt() {
        reporter.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "no address is left"));
        await().atMost(PATIENCE).until(() -> events("shop").size() == 1);
        Event event = events("shop").get(0);
        assertThat(event.getType()).isEqualTo("Warning");
        assertThat(event.getReason()).isEqualTo("AllocIPFailed");
        assertThat(event.getMessage()).isEqualTo("no address is left");
        assertThat(event.getInvolvedObject().getKind()).isEqualTo("Pod");
        assertThat(event.getInvolvedObject().getUid()).isEqualTo("u1");
        assertThat(event.getSource().getComponent()).isEqualTo("enipam");
        assertThat(event.getSource().getHost()).isEqualTo("node-1");
        assertThat(event.getMetadata().getName()).startsWith("web-0.");
    }

    @Test
    void theNodesEventIsInTheDefaultNamespace() {
        reporter.enqueue(EventNotice.ofNode(false, "Ready", "the node gives addresses"));
        await().atMost(PATIENCE).until(() -> events("default").size() == 1);
        assertThat(events("default").get(0).getInvolvedObject().getName()).isEqualTo("node-1");
        assertThat(events("default").get(0).getType()).isEqualTo("Normal");
    }

    @Test
    void whatHappensAgainAndAgainIsCountedAndNotRepeated() {
        for (int i = 0; i < 8; i++) {
            reporter.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "no address is left"));
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(events("shop"))
                        .singleElement()
                        .extracting(Event::getCount)
                        .isEqualTo(8));
    }

    @Test
    void oneMoreOfASeriesIsOneRequestAndNeedsNoRightToGetEvents() {
        server.answers(line -> line.startsWith("GET ") && !line.endsWith("/events")
                ? Optional.of(FakeApiServer.refusal(403, "Forbidden", "events is forbidden"))
                : Optional.empty());
        for (int i = 0; i < 2; i++) {
            reporter.enqueue(
                    EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "no address, next try in " + i + " s"));
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(events("shop")).singleElement().satisfies(event -> {
                    assertThat(event.getCount()).isEqualTo(2);
                    assertThat(event.getMessage()).isEqualTo("no address, next try in 1 s");
                }));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(requests).hasValue(2));
    }

    @Test
    void tenThousandAddsThatFailAtOnceAreAHundredRequests() {
        for (int i = 0; i < 10_000; i++) {
            reporter.enqueue(EventNotice.ofPod(
                    new PodRef("shop", "job-" + i),
                    "u" + i,
                    true,
                    "AllocIPFailed",
                    "no address for pod shop/job-" + i));
        }
        await().atMost(PATIENCE).until(() -> events("shop").size() >= EventCorrelator.NODE_BURST);
        await().atMost(PATIENCE).until(() -> reporter.waiting() == 0);
        assertThat(events("shop")).hasSize(EventCorrelator.NODE_BURST);
        assertThat(requests).hasValue(EventCorrelator.NODE_BURST);
    }

    @Test
    void anEventThatTheServerHasLetGoIsMadeAnew() {
        reporter.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "no address is left"));
        await().atMost(PATIENCE).until(() -> events("shop").size() == 1);
        server.client().v1().events().inNamespace("shop").delete();
        reporter.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "no address is left"));
        await().atMost(PATIENCE).until(() -> events("shop").size() == 1);
    }

    @Test
    void whileTheServerRefusesNothingIsHeldUpAndWhatIsLostIsCounted() {
        server.answers(line -> Optional.of(FakeApiServer.refusal(403, "Forbidden", "events is forbidden")));
        for (int i = 0; i < 3; i++) {
            reporter.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "failure " + i));
        }
        await().atMost(PATIENCE).until(() -> reporter.dropped().lost() == 3);
        server.answers(line -> Optional.empty());
        reporter.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "failure 0"));
        await().atMost(PATIENCE).until(() -> events("shop").size() == 1);
    }

    /** It ended the thread, and no event was told until the daemon was started again. */
    @Test
    void anErrorLosesOneEventAndNotThoseBehindIt() {
        AtomicInteger looks = new AtomicInteger();
        TimeSource time = new TimeSource() {
            private final TimeSource still = new VirtualTime();

            @Override
            public Instant now() {
                if (looks.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("made for this test");
                }
                return still.now();
            }

            @Override
            public long nanoTime() {
                return still.nanoTime();
            }
        };
        try (EventReporter shaken = new EventReporter(calls, time, "node-1")) {
            shaken.enqueue(EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", "no address is left"));
            shaken.enqueue(EventNotice.ofPod(WEB, "u1", false, "AllocIPSucceed", "10.0.0.7"));

            await().atMost(PATIENCE).until(() -> events("shop").size() == 1);
            assertThat(events("shop").get(0).getReason()).isEqualTo("AllocIPSucceed");
            assertThat(shaken.dropped().lost()).isEqualTo(1);
        }
    }

    @Test
    void aMessageLongerThanTheServerTakesIsCut() {
        assertThat(EventNotice.ofNode(true, "R", "x".repeat(5_000)).message())
                .hasSize(1024)
                .endsWith("...");
    }

    private List<Event> events(String namespace) {
        return server.client().v1().events().inNamespace(namespace).list().getItems();
    }
}

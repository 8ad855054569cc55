package io.enipam.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Pod;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.kubernetes.testing.RecordedPods;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.mockwebserver.http.MockResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The watch over a line that breaks, to a server that does not always want. */
class PodInformerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final FakeApiServer server = new FakeApiServer();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private CuttableProxy line;
    private ApiServerClient calls;
    private PodInformer watch;

    @BeforeEach
    void connect() throws IOException {
        line = server.line();
        calls = FakeApiServer.calls(server.config(line), (request, code) -> requests.add(request + " " + code));
        watch = watching(calls);
    }

    private PodInformer watching(ApiServerClient over) {
        return new PodInformer(
                over,
                Manifests.NODE,
                new ManifestParser(() -> new StickRule(Set.of(), Duration.ofMinutes(5))),
                new RecordedPods(told));
    }

    @AfterEach
    void disconnect() throws IOException {
        watch.close();
        calls.close();
        line.close();
        server.close();
    }

    @Test
    void aWatchThatBreaksGoesOnAndMissesNothing() {
        create("web-0");
        watch.start();
        await().atMost(PATIENCE).until(() -> told.contains("seen default/web-0"));
        cutOpenWatch();
        create("web-1");
        server.client().resource(Manifests.running("web-0").build()).delete();
        server.forgetHistoryOnce("pods");
        line.mend();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(names()).containsExactly("default/web-1"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(told).anyMatch(event -> event.startsWith("over default/web-0")));
    }

    @Test
    void aPodMadeAnewUnderItsNameWhileTheWatchWasAwayIsAnotherOne() {
        create("web-0");
        watch.start();
        await().atMost(PATIENCE).until(() -> told.contains("seen default/web-0"));
        cutOpenWatch();
        server.client().resource(Manifests.running("web-0").build()).delete();
        create("web-0");
        server.forgetHistoryOnce("pods");
        line.mend();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(told).contains("over default/web-0: another pod has its name now"));
        assertThat(names()).containsExactly("default/web-0");
    }

    @Test
    void aWatchWhoseTokenHasExpiredGoesOnWithTheNextOne() {
        create("web-0");
        AtomicReference<String> token = new AtomicReference<>("old");
        Config config = new ConfigBuilder(server.config(line))
                .withOauthTokenProvider(token::get)
                .build();
        try (ApiServerClient rotating =
                        FakeApiServer.calls(config, (request, code) -> requests.add(request + " " + code));
                PodInformer patient = watching(rotating)) {
            patient.start();
            await().atMost(PATIENCE).until(() -> told.contains("seen default/web-0"));
            await().atMost(PATIENCE).until(patient::isOpen);
            server.settle();
            server.expires("old");
            server.forgetHistoryOnce("pods");
            line.drop();
            await().atMost(PATIENCE).until(() -> requests.stream().anyMatch(request -> request.endsWith(" 401")));
            token.set("new");
            create("web-1");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("seen default/web-1"));
        }
    }

    @Test
    void aWatchOnWhichNothingComesForMinutesIsBegunAnewWithTheSameMemory() {
        create("web-0");
        create("web-1");
        watch.start();
        await().atMost(PATIENCE).until(() -> told.contains("seen default/web-1"));
        cutOpenWatch();
        server.client().resource(Manifests.running("web-0").build()).delete();
        // by this clock, two minutes and more pass between two looks
        watch.checkStall(0);
        await().atMost(PATIENCE).until(() -> !watch.isOpen());
        watch.checkStall(Duration.ofMinutes(5).toNanos());
        watch.checkStall(Duration.ofMinutes(10).toNanos());
        line.mend();
        await().atMost(PATIENCE)
                .until(() -> told.contains("over default/web-0: it was missing when the pods were listed again"));
        assertThat(names()).containsExactly("default/web-1");
        assertThat(told).as("it was known before").containsOnlyOnce("seen default/web-1");
        create("web-2");
        await().atMost(PATIENCE).until(() -> told.contains("seen default/web-2"));
    }

    @Test
    void aServerThatWasAwayFromTheStartIsFoundOnceItIsBack() {
        line.cut();
        create("web-0");
        watch.start();
        await().atMost(PATIENCE).until(() -> !watch.failureReason().equals("they were not listed yet"));
        assertThat(watch.hasSynced()).isFalse();
        line.mend();
        await().atMost(PATIENCE).until(watch::hasSynced);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("seen default/web-0", "reachable true"));
        assertThat(watch.failureReason()).isEmpty();
    }

    @Test
    void aHistoryThatTheServerHasForgottenIsListedAnew() {
        create("web-0");
        server.forgetHistoryOnce("pods");
        watch.start();
        await().atMost(PATIENCE).until(() -> told.contains("seen default/web-0"));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(requests).filteredOn("LIST pods 200"::equals).hasSizeGreaterThan(1));
        create("web-1");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("seen default/web-1"));
    }

    @Test
    void aServerWithTooMuchToDoIsAskedAgainWhenItSays() {
        create("web-0");
        AtomicInteger asked = new AtomicInteger();
        server.answers(request -> asked.getAndIncrement() == 0
                ? Optional.of(
                        FakeApiServer.refusal(429, "TooManyRequests", "later").setHeader("Retry-After", "1"))
                : Optional.empty());
        long begun = System.nanoTime();
        watch.start();
        await().atMost(PATIENCE).until(watch::hasSynced);
        assertThat(requests).startsWith("LIST pods 429", "LIST pods 200");
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("a watch that breaks by itself rests for 50 ms in this test")
                .isGreaterThan(Duration.ofMillis(800));
    }

    @Test
    void aListThatIsNonsenseIsNoEmptyNode() {
        create("web-0");
        AtomicInteger asked = new AtomicInteger();
        server.answers(request -> asked.getAndIncrement() == 0
                ? Optional.of(new MockResponse().setResponseCode(200).setBody("{\"kind\":"))
                : Optional.empty());
        watch.start();
        await().atMost(PATIENCE).until(watch::hasSynced);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(names()).containsExactly("default/web-0"));
    }

    /**
     * Cuts a watch that has been open for a moment: the client does not notice when one breaks while it opens (stalls are
     * detected after minutes).
     */
    private void cutOpenWatch() {
        await().atMost(PATIENCE).until(watch::isOpen);
        server.settle();
        line.cut();
    }

    private void create(String pod) {
        server.client().resource(Manifests.running(pod).build()).create();
    }

    private List<String> names() {
        return watch.pods().stream().map(Pod::ref).map(PodRef::toString).toList();
    }
}

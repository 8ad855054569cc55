package io.enipam.kubernetes.api;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.api.RequestStats.Count;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class RequestStatsTest {
    private final VirtualTime time = new VirtualTime();
    private final RequestStats book = new RequestStats(time);

    @Test
    void requestsAreCountedByVerbResourceAndStatus() {
        book.onCompleted("GET pods", 200);
        time.advance(Duration.ofSeconds(5));
        book.onCompleted("GET pods", 200);
        book.onCompleted("GET pods", 403);
        book.onCompleted("PATCH nodes", 0);

        assertThat(book.counts())
                .containsExactly(
                        new Count("GET pods", 200, 2, time.now()),
                        new Count("GET pods", 403, 1, time.now()),
                        new Count("PATCH nodes", 0, 1, time.now()));
        assertThat(book.lastMinute()).isEqualTo(4);
        time.advance(Duration.ofSeconds(58));
        assertThat(book.lastMinute()).as("the first is over a minute ago").isEqualTo(3);
    }

    @Test
    void howeverManySortsThereAreTheBookStaysSmall() {
        for (int i = 0; i < 10 * RequestStats.MOST; i++) {
            book.onCompleted("GET thing-" + i, 200);
        }
        assertThat(book.counts())
                .hasSize(RequestStats.MOST + 1)
                .contains(new Count(RequestStats.OTHER, 0, 9L * RequestStats.MOST, time.now()));
    }

    @Test
    void theServersClockIsReadFromItsAnswers() throws Exception {
        try (FakeApiServer server = new FakeApiServer();
                ApiServerClient calls = server.calls(book)) {
            String later = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                    time.now().plusSeconds(90).atOffset(ZoneOffset.UTC));
            server.answers(line ->
                    Optional.of(FakeApiServer.refusal(404, "NotFound", "no").setHeader("Date", later)));
            calls.request("GET pod", RequestStatsTest::get).get(30, SECONDS);

            assertThat(book.clockAhead().orElseThrow()).isBetween(Duration.ofSeconds(89), Duration.ofSeconds(91));
        }
    }

    @Test
    void howeverOftenPeopleLookNoPodWaitsForIt() throws Exception {
        try (FakeApiServer server = new FakeApiServer();
                ApiServerClient calls = server.calls(book)) {
            CountDownLatch end = new CountDownLatch(1);
            CompletableFuture<String> first = calls.requestInteractive("LIST pods", client -> {
                await(end);
                return "seen";
            });
            List<CompletableFuture<String>> others = new ArrayList<>();
            for (int i = 0; i < ApiServerClient.LOOKS; i++) {
                others.add(calls.requestInteractive("LIST pods", client -> "seen"));
            }

            assertThat(calls.request("GET pod", RequestStatsTest::get).get(30, SECONDS))
                    .as("while a look hangs and others wait behind it")
                    .isEmpty();

            end.countDown();
            assertThat(first.get(30, SECONDS)).isEqualTo("seen");
            CompletableFuture<String> last = others.get(others.size() - 1);
            assertThatThrownBy(() -> last.get(30, SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .hasMessageContaining("30 times a minute")
                    .matches(ApiServerClient::isRateLimited);
        }
    }

    private static Optional<?> get(KubernetesClient client) {
        return Optional.ofNullable(
                client.pods().inNamespace("default").withName("web-0").get());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

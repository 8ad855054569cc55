package io.enipam.kubernetes.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.testing.TestThreads;
import io.enipam.kubernetes.api.ApiAccess.TokenFile;
import io.enipam.kubernetes.api.ApiServerClient.ApiLimits;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.mockwebserver.http.MockResponse;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiServerClientTest {
    private final FakeApiServer server = new FakeApiServer();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final ApiServerClient calls = server.calls((request, code) -> requests.add(request + " " + code));

    @AfterEach
    void close() {
        calls.close();
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "401,Unauthorized,the token is not accepted",
        "403,Forbidden,not allowed: pods is forbidden",
        "429,TooManyRequests,too much to do",
        "500,InternalError,500: pods is forbidden",
        "503,ServiceUnavailable,503: pods is forbidden"
    })
    void aRefusalIsToldInALineAndNotRepeated(int code, String reason, String words) {
        server.answers(line -> Optional.of(FakeApiServer.refusal(code, reason, "pods is forbidden")));
        assertThatThrownBy(() -> ask(calls))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("GET pod default/web-0: ")
                .hasMessageContaining(words)
                .hasMessageNotContaining("http")
                .hasMessageNotContaining("\n");
        assertThat(requests).containsExactly("GET pods " + code);
    }

    @Test
    void aTokenThatWasReplacedMeanwhileIsTakenAtOnce() throws Exception {
        AtomicInteger read = new AtomicInteger();
        Config config = new ConfigBuilder(server.config())
                .withOauthTokenProvider(() -> "token-" + read.incrementAndGet())
                .build();
        AtomicInteger refused = new AtomicInteger();
        server.answers(line -> refused.getAndIncrement() == 0
                ? Optional.of(FakeApiServer.refusal(401, "Unauthorized", "Unauthorized"))
                : Optional.empty());
        try (ApiServerClient patient = new ApiServerClient(config, ApiLimits.usual(), RequestListener.NONE)) {
            assertThat(ask(patient)).isEmpty();
        }
        assertThat(read).as("the token was read again after the refusal").hasValueGreaterThan(1);
    }

    /** The kubelet replaces a token by swapping a link, as a projected volume does; the former one expires. */
    @Test
    void afterA401TheTokenThatTheKubeletHasPutInTheFileMeanwhileIsTaken(@TempDir Path volume) throws Exception {
        Path link = volume.resolve("token");
        Files.createSymbolicLink(link, Files.writeString(volume.resolve("..1"), "old-token\n"));
        Config config = new ConfigBuilder(server.config())
                .withOauthTokenProvider(new TokenFile(link))
                .build();
        try (ApiServerClient patient = new ApiServerClient(config, ApiLimits.usual(), RequestListener.NONE)) {
            assertThat(ask(patient)).isEmpty();
            server.expires("old-token");
            assertThatThrownBy(() -> ask(patient)).cause().hasMessageContaining("401, the token is not accepted");

            Path next = Files.createSymbolicLink(
                    volume.resolve("..next"), Files.writeString(volume.resolve("..2"), "new-token\n"));
            Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);

            assertThat(ask(patient)).isEmpty();
        }
    }

    @Test
    void aServerThatAsksForARestHasItFromAllWhoAsk() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        server.answers(line -> asked.getAndIncrement() == 0
                ? Optional.of(
                        FakeApiServer.refusal(429, "TooManyRequests", "later").setHeader("Retry-After", "1"))
                : Optional.empty());
        long begun = System.nanoTime();
        assertThatThrownBy(() -> ask(calls)).cause().hasMessageContaining("429");
        assertThat(ask(calls)).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(800));
    }

    @Test
    void whoeverHasLessTimeThanTheServerWantsToRestIsToldAtOnce() throws Exception {
        server.answers(line -> Optional.of(
                FakeApiServer.refusal(503, "ServiceUnavailable", "x").setHeader("Retry-After", "50")));
        assertThatThrownBy(() -> ask(calls)).cause().hasMessageContaining("503");
        assertThatThrownBy(() -> ask(calls))
                .cause()
                .hasMessageContaining("was not sent: the API server has too much to do, and wants");
        assertThat(requests).containsExactly("GET pods 503");
    }

    @Test
    void anAnswerThatBeginsAndDoesNotEndIsNotWaitedForEither() throws Exception {
        server.answers(line -> Optional.of(FakeApiServer.refusal(200, "", "").setBodyDelay(Duration.ofSeconds(25))));
        ApiLimits limits = new ApiLimits(10, Duration.ofSeconds(5), Duration.ofSeconds(4), Duration.ofSeconds(1));
        try (ApiServerClient hasty = new ApiServerClient(server.config(), limits, RequestListener.NONE)) {
            CompletableFuture<?> asked = hasty.request(
                    "GET pods", client -> client.pods().inAnyNamespace().list());
            assertThatThrownBy(() -> asked.get(20, SECONDS)).cause().hasMessageContaining("no answer");
        }
    }

    @Test
    void aServerThatSaysNothingIsNotWaitedForLongerThanTheLimit() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            Config config = new ConfigBuilder(Config.empty())
                    .withMasterUrl("http://127.0.0.1:" + silent.getLocalPort())
                    .build();
            ApiLimits limits = new ApiLimits(10, Duration.ofSeconds(5), Duration.ofSeconds(4), Duration.ofSeconds(1));
            try (ApiServerClient hasty = new ApiServerClient(config, limits, RequestListener.NONE)) {
                assertThatThrownBy(() -> ask(hasty)).cause().hasMessageContaining("no answer");
            }
        }
    }

    @Test
    void aServerThatIsNotThereIsNoAnswer() throws Exception {
        int port;
        try (ServerSocket gone = new ServerSocket(0)) {
            port = gone.getLocalPort();
        }
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + port)
                .build();
        try (ApiServerClient lonely = new ApiServerClient(config, ApiLimits.usual(), RequestListener.NONE)) {
            assertThatThrownBy(() -> ask(lonely)).cause().hasMessageStartingWith("GET pod default/web-0: no answer");
        }
    }

    @Test
    void anAnswerThatIsNoPodIsAFailureAndNoPod() {
        server.answers(
                line -> Optional.of(new MockResponse().setResponseCode(200).setBody("<html>captive portal</html>")));
        assertThatThrownBy(() -> ask(calls)).cause().isInstanceOf(IOException.class);
    }

    @Test
    void moreThanSoManyASecondWaitTheirTurn() throws Exception {
        ApiLimits limits = new ApiLimits(2, Duration.ofSeconds(10), Duration.ofMillis(100), Duration.ofSeconds(1));
        try (ApiServerClient slow = new ApiServerClient(server.config(), limits, RequestListener.NONE)) {
            List<CompletableFuture<?>> asked = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                asked.add(slow.request("GET version", client -> "answer"));
            }
            CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                    .exceptionally(error -> null)
                    .get(30, SECONDS);
            assertThat(asked)
                    .filteredOn(CompletableFuture::isCompletedExceptionally)
                    .anySatisfy(refused ->
                            assertThatThrownBy(refused::join).hasMessageContaining("more than 2 requests a second"));
        }
    }

    @Test
    void anAnswerThatStopsInTheMiddleKeepsNobodyForEver() throws Exception {
        try (ServerSocket server = new ServerSocket(0);
                ApiServerClient hasty = hasty(server.getLocalPort(), Duration.ofSeconds(5))) {
            Thread proxy = new Thread(() -> stall(server), "stalling");
            proxy.setDaemon(true);
            proxy.start();
            assertThatThrownBy(() -> ask(hasty)).cause().hasMessageContaining("the answer did not end within 6 s");
        }
    }

    private static void stall(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".getBytes(US_ASCII));
            socket.getOutputStream().flush();
            while (socket.getInputStream().read() >= 0) {
                // the request, then silence until the client goes
            }
        } catch (IOException e) {
            // the test is over
            return;
        }
    }

    @Test
    void whatNobodyWaitsForAnyMoreIsNotSent() throws Exception {
        try (ServerSocket silent = new ServerSocket(0);
                ApiServerClient hasty = hasty(silent.getLocalPort(), Duration.ofMillis(900))) {
            List<CompletableFuture<String>> asked = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                asked.add(hasty.request(
                        "GET version", client -> client.getKubernetesVersion().getMajor()));
            }
            assertThatThrownBy(() -> asked.get(99).get(60, SECONDS))
                    .cause()
                    .hasMessage("GET version was not sent: it had to wait for more than 1 s for others");
        }
    }

    @Test
    void whoWaitsForAnAnswerWhenAllIsClosedIsTold() throws Exception {
        ApiServerClient closing = server.calls(RequestListener.NONE);
        CountDownLatch never = new CountDownLatch(1);
        List<CompletableFuture<Boolean>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(closing.request("GET version", client -> {
                try {
                    return never.await(1, MINUTES);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        closing.close();
        for (CompletableFuture<Boolean> one : asked) {
            assertThatThrownBy(() -> one.get(30, SECONDS)).cause().isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> asked.get(19).get())
                .cause()
                .hasMessage("GET version was not sent: the daemon is stopping");
        assertThatThrownBy(() -> ask(closing)).cause().hasMessageContaining("the daemon is stopping");
    }

    @Test
    void aWatchThatListsAgainTakesItFromTheCacheAndWhoLooksHimselfDoesNot() throws Exception {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        server.answers(line -> {
            lines.add(line);
            return Optional.empty();
        });
        calls.client()
                .pods()
                .inAnyNamespace()
                .withField("spec.nodeName", "node-1")
                .list();
        calls.request(
                        "LIST pods",
                        client -> client.pods()
                                .inAnyNamespace()
                                .withField("spec.nodeName", "node-1")
                                .list()
                                .getItems()
                                .size())
                .get(30, SECONDS);
        assertThat(lines)
                .hasSize(2)
                .satisfiesExactly(
                        patient -> assertThat(patient).endsWith("resourceVersion=0"),
                        single -> assertThat(single).doesNotContain("resourceVersion"));
        assertThat(calls.client().getConfiguration().isHttp2Disable())
                .as("a connection for all dies for all")
                .isTrue();
    }

    @Test
    void requestsAndTheirRepeatsAreAnsweredWhileAPluginBlocksTheCommonPoolOfTheJdk() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
        for (long i = blocked.getCount(); i > 0; i--) {
            ForkJoinPool.commonPool().execute(() -> {
                blocked.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        try {
            blocked.await();
            assertThat(ask(calls)).isEmpty();

            AtomicInteger asked = new AtomicInteger();
            server.answers(line -> asked.getAndIncrement() == 0
                    ? Optional.of(FakeApiServer.refusal(429, "TooManyRequests", "later")
                            .setHeader("Retry-After", "1"))
                    : Optional.empty());
            CompletableFuture<Integer> listed = CompletableFuture.supplyAsync(
                    () -> calls.client()
                            .pods()
                            .inAnyNamespace()
                            .list()
                            .getItems()
                            .size(),
                    TestThreads.PER_TASK);
            assertThat(listed.get(60, SECONDS)).isZero();
            assertThat(asked).hasValue(2);
        } finally {
            over.countDown();
        }
    }

    private static ApiServerClient hasty(int port, Duration limit) {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + port)
                .build();
        return new ApiServerClient(
                config, new ApiLimits(1_000, limit, limit, Duration.ofSeconds(1)), RequestListener.NONE);
    }

    private static Optional<String> ask(ApiServerClient calls) throws Exception {
        return calls.request(
                        "GET pod default/web-0",
                        client -> Optional.ofNullable(client.pods()
                                        .inNamespace("default")
                                        .withName("web-0")
                                        .get())
                                .map(pod -> pod.getMetadata().getUid()))
                .get(30, SECONDS);
    }
}

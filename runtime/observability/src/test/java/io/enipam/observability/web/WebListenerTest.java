package io.enipam.observability.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.config.ListenAddress;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.observability.web.Page.Response;
import io.enipam.observability.web.WebServer.Limits;
import io.enipam.platform.SystemTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WebListenerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ScheduledExecutorService THREADS = Executors.newScheduledThreadPool(1);
    private static final CountDownLatch LET_GO = new CountDownLatch(1);
    private static final RecordedEvents EVENTS = new RecordedEvents(new SystemTime());
    private static WebListener listener;

    @BeforeAll
    static void open() {
        listener = new WebListener(new ListenAddress("127.0.0.1", 0), WebListenerTest::site, EVENTS, THREADS).begin();
        await().atMost(PATIENCE).until(() -> listener.serving().isPresent());
    }

    private static Site site() {
        return new Site()
                .with("/livez", Site.Lane.PROBES, asked -> Response.text(200, "ok\n"))
                .with("/broken", Site.Lane.PROBES, asked -> {
                    throw new IllegalStateException("the secret is 42");
                })
                .with("/hangs", Site.Lane.SCRAPES, asked -> {
                    LET_GO.await();
                    return Response.text(200, "at last\n");
                });
    }

    @AfterAll
    static void close() {
        LET_GO.countDown();
        listener.close();
        THREADS.shutdownNow();
    }

    @Test
    void aPageIsAnsweredAndTheConnectionIsClosed() throws IOException {
        assertThat(said("GET /livez?verbose HTTP/1.1\r\nHost: node\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("connection: close\r\n", "content-length: 3\r\n", "cache-control: no-store\r\n")
                .endsWith("\r\n\r\nok\n");
    }

    @Test
    void HEAD_is_answered_without_a_body() throws IOException {
        assertThat(said("HEAD /livez HTTP/1.1\r\nHost: node\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("content-length: 3\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void whatIsNotThereSaysWhatIs() throws IOException {
        assertThat(said("GET /etc/passwd HTTP/1.1\r\nHost: node\r\n\r\n"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith("there is /broken /hangs /livez\n");
    }

    @Test
    void nothingCanBeChangedHere() throws IOException {
        assertThat(said("DELETE /livez HTTP/1.1\r\nHost: node\r\n\r\n"))
                .startsWith("HTTP/1.1 405 ")
                .contains("allow: GET, HEAD\r\n");
    }

    @Test
    void aRequestWithABodyIsRefusedAndNoSecondOneHidesInIt() throws IOException {
        String hidden = "GET /livez HTTP/1.1\r\nHost: node\r\n\r\n";
        for (String headers : List.of(
                "Content-Length: " + hidden.length() + "\r\n",
                "Transfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                "Content-Length: 0\r\nContent-Length: 5\r\n")) {
            assertThat(said("GET /livez HTTP/1.1\r\nHost: node\r\n" + headers + "\r\n" + hidden))
                    .as(headers)
                    .startsWith("HTTP/1.1 400 ")
                    .containsOnlyOnce("HTTP/1.1 ");
        }
    }

    @Test
    void aConnectionHasOneAnswerHoweverManyRequestsComeAtOnce() throws IOException {
        String request = "GET /livez HTTP/1.1\r\nHost: node\r\n\r\n";

        assertThat(said(request + request + request)).containsOnlyOnce("HTTP/1.1 ");
    }

    @Test
    void whatIsNoRequestOrTooLongIsRefused() throws IOException {
        assertThat(said("GET /" + "x".repeat(5_000) + " HTTP/1.1\r\nHost: node\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(said("GET /livez HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(said("GET /%zz HTTP/1.1\r\nHost: node\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    }

    @Test
    void aPageThatFailsKeepsItsReasonForTheLog() throws IOException {
        assertThat(said("GET /broken HTTP/1.1\r\nHost: node\r\n\r\n"))
                .startsWith("HTTP/1.1 500 ")
                .doesNotContain("secret");
    }

    @Test
    void aScrapeThatHangsAndClientsThatSayNothingHoldNoProbeUp() throws IOException {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                idle.add(connect());
            }
            for (int i = 0; i < 3; i++) {
                idle.get(i).getOutputStream().write("GET /hangs HTTP/1.1\r\nHost: node\r\n\r\n".getBytes(US_ASCII));
            }
            assertThat(said("GET /livez HTTP/1.1\r\nHost: node\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void aClientThatSendsItsRequestLetterByLetterIsCutOff() throws Exception {
        Site site = site();
        try (WebServer server = WebServer.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        site,
                        new Limits(4, Duration.ofSeconds(3), 2_048, 8_192));
                Socket slow = new Socket(
                        InetAddress.getLoopbackAddress(), server.address().getPort())) {
            slow.getOutputStream().write("GET /liv".getBytes(US_ASCII));
            slow.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(slow.getInputStream().read()).isEqualTo(-1);
        }
        site.close();
    }

    @Test
    void connectionsThatAskForNothingDoNotKeepAProbeOut() throws Exception {
        Site site = site();
        try (WebServer server = WebServer.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        site,
                        new Limits(1, Duration.ofMinutes(10), 2_048, 8_192));
                Socket first = new Socket(
                        InetAddress.getLoopbackAddress(), server.address().getPort());
                Socket second = new Socket(
                        InetAddress.getLoopbackAddress(), server.address().getPort())) {
            first.setSoTimeout((int) PATIENCE.toMillis());
            second.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(first.getInputStream().read()).as("the silent one goes").isEqualTo(-1);
            second.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: n\r\n\r\n".getBytes(US_ASCII));
            assertThat(new String(second.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 200 ");
        }
        site.close();
    }

    @Test
    void aPortThatIsTakenIsToldOnceAndTakenWhenItIsFree() throws IOException {
        RecordedEvents events = new RecordedEvents(new SystemTime());
        WebListener waiting;
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            waiting = new WebListener(
                            new ListenAddress("127.0.0.1", other.getLocalPort()),
                            WebListenerTest::site,
                            events,
                            THREADS,
                            Duration.ofMillis(20))
                    .begin();
            await().atMost(PATIENCE).until(() -> !events.all().isEmpty());
            assertThat(events.all())
                    .singleElement()
                    .satisfies(event -> assertThat(event.message())
                            .contains("metrics.listen 127.0.0.1:" + other.getLocalPort() + " cannot be served: ")
                            .contains("Address already in use"));
        }
        await().atMost(PATIENCE).until(() -> waiting.serving().isPresent());
        assertThat(events.all()).extracting("type").containsExactly("MetricsNotServed", "MetricsServed");
        waiting.close();
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(listener.serving().orElseThrow());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    private static String said(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }
}

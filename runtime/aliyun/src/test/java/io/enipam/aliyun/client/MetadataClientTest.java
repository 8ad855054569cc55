package io.enipam.aliyun.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetadataClientTest {
    /** Terway's story: clients without timeouts, and a daemon that hangs with its metadata service. */
    @Test
    void aMetadataServiceThatTakesTheCallAndNeverAnswersIsLeft() throws IOException {
        // the system accepts for it, and nobody reads
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            URI base = URI.create("http://127.0.0.1:" + silent.getLocalPort());
            MetadataClient client = client(base);

            assertThatThrownBy(client::identity)
                    .isInstanceOfSatisfying(
                            FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
                    .hasMessageContaining(base + " does not answer");
            assertThatThrownBy(client::keys)
                    .isInstanceOfSatisfying(
                            CredentialsException.class,
                            e -> assertThat(e.transientFailure()).isTrue())
                    .hasMessageContaining("the credentials of this instance's RAM role cannot be had");
        }
    }

    @Test
    void aMetadataServiceWhoseAnswerBeginsAndDoesNotEndIsLeft() throws IOException {
        HttpServer halting = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        halting.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write("i-".getBytes(UTF_8));
            exchange.getResponseBody().flush();
        });
        halting.start();
        try {
            URI base = URI.create("http://127.0.0.1:" + halting.getAddress().getPort());

            assertThatThrownBy(client(base)::identity)
                    .isInstanceOfSatisfying(
                            FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
                    .hasMessageContaining("no whole answer within 1000 ms");
        } finally {
            halting.stop(0);
        }
    }

    private static MetadataClient client(URI base) {
        return new MetadataClient(
                base,
                Duration.ofSeconds(1),
                new ApiCallLog(new VirtualTime(Instant.EPOCH), new SplittableRandom(1), Map.of()).metadata());
    }
}

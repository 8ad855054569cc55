package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many connections requests over TLS need: each costs round trips and a handshake. */
class SharedConnectionsTest {
    private static final int REQUESTS = 40;
    /** Requests that run at once. */
    private static final int AT_ONCE = 8;

    private final FakeApiServer server = new FakeApiServer(true);
    private final CuttableProxy line;
    private final ApiServerClient calls;

    SharedConnectionsTest() throws IOException {
        line = server.line();
        calls = FakeApiServer.calls(
                new ConfigBuilder(server.config())
                        .withMasterUrl("https://localhost:" + line.port() + "/")
                        .build(),
                RequestListener.NONE);
    }

    @AfterEach
    void close() throws IOException {
        calls.close();
        line.close();
        server.close();
    }

    @Test
    void requestsOneAfterTheOtherUseOneConnection() {
        for (int i = 0; i < 10; i++) {
            request().join();
        }
        assertThat(line.accepted()).isOne();
    }

    @Test
    void requestsThatRunAtOnceUseTheirConnectionsAgain() {
        server.answers(asked -> {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            return Optional.empty();
        });
        for (int burst = 0; burst < 2; burst++) {
            CompletableFuture.allOf(IntStream.range(0, REQUESTS)
                            .mapToObj(i -> request())
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
        // one that is given back and one that is wanted at the same moment may miss each other
        assertThat(line.accepted()).isLessThanOrEqualTo(2 * AT_ONCE);
    }

    private CompletableFuture<Integer> request() {
        return calls.request(
                "LIST pods",
                client -> client.pods().inNamespace("default").list().getItems().size());
    }
}

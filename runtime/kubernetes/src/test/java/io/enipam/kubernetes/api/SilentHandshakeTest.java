package io.enipam.kubernetes.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.kubernetes.api.ApiHttpClientFactory.RetryAfterGate;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A server, or a proxy before it, that takes the request for a watch and never answers it. */
class SilentHandshakeTest {
    private static final String NO_PODS =
            "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}";

    private static final Executor SERVER = DaemonThreads.each("silent-server");

    private final AtomicInteger watches = new AtomicInteger();

    @Test
    void aWatchThatIsNeverAnsweredIsOpenedAgain() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            SERVER.execute(() -> accept(server));
            Config config = new ConfigBuilder(Config.empty())
                    .withMasterUrl("http://127.0.0.1:" + server.getLocalPort())
                    .withWatchReconnectInterval(50)
                    .build();
            ApiHttpClientFactory http = new ApiHttpClientFactory(
                    RequestListener.NONE, new RetryAfterGate(System::nanoTime), Duration.ofMillis(200));
            try (KubernetesClient client = new KubernetesClientBuilder()
                    .withConfig(config)
                    .withKubernetesSerialization(ApiSerialization.INSTANCE)
                    .withHttpClientFactory(http)
                    .build()) {
                var informer = client.pods().inAnyNamespace().runnableInformer(0);
                informer.exceptionHandler((started, error) -> true);
                informer.start();
                await().atMost(Duration.ofSeconds(60)).until(() -> watches.get() > 1);
                informer.stop();
            }
        }
    }

    private void accept(ServerSocket server) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                SERVER.execute(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.contains("watch=true")) {
                    watches.incrementAndGet();
                } else if (line.startsWith("GET ")) {
                    String answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                            + NO_PODS.length() + "\r\n\r\n" + NO_PODS;
                    socket.getOutputStream().write(answer.getBytes(US_ASCII));
                }
            }
        } catch (IOException e) {
            // the client has gone
            return;
        }
    }
}

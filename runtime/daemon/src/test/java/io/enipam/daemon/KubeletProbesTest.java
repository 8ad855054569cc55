package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.daemon.testing.FakeSurroundings;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.engine.port.ForwardingDb;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.store.LeaseEnds;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the kubelet is told while something is away. */
@Timeout(240)
class KubeletProbesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final World world = new World();

    @Test
    void whileTheCloudIsAwayTheDaemonIsAliveAndSaysWhyItIsNotReady() throws IOException {
        world.cloudAnswers = false;
        try (Daemon daemon = started()) {
            URI address = address();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(get(address, "/readyz"))
                            .startsWith("503 [-]engine failed: the daemon is RECOVERING: ")
                            .contains("metadata is silent")
                            .endsWith(
                                    "[+]database ok\n[+]kernel ok\n[+]adds ok\n[+]shutdown ok\nreadyz check failed\n"));
            assertThat(get(address, "/livez")).isEqualTo("200 ok\n");
            assertThat(get(address, "/metrics")).contains("\nenipam_ready 0.0\n", "\nenipam_cloud_usable 0.0\n");

            world.cloudAnswers = true;
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(get(address, "/readyz")).isEqualTo("200 ok\n"));

            world.trouble(Optional.of(new DbTrouble("no space left on device", Instant.EPOCH)));
            assertThat(get(address, "/readyz"))
                    .startsWith("503 ")
                    .contains(
                            "[-]database failed: the database cannot be written: no space left on device, since 1970-01-01T00:00:00Z\n");
            assertThat(get(address, "/livez")).isEqualTo("200 ok\n");
            assertThat(get(address, "/metrics")).contains("\nenipam_db_writable 0.0\n");

            world.trouble(Optional.empty());
            assertThat(get(address, "/readyz")).isEqualTo("200 ok\n");
        }
    }

    private Daemon started() throws IOException {
        Path yaml = Files.writeString(directory.resolve("enipam.yaml"), "metrics: {listen: '127.0.0.1:0'}\n");
        DaemonConfig config = ConfigLoader.load(List.of(ConfigFile.named(yaml)), true, Map.of(), KnownPlugins.none());
        Daemon daemon = new Daemon(layout(), config, false, world, FakeSurroundings.assembly(), PluginCatalog.empty());
        daemon.start();
        return daemon;
    }

    private DaemonLayout layout() {
        return DaemonLayout.below(directory.resolve("root"));
    }

    /** Where it says that it serves. */
    private URI address() {
        try (SocketClient client = new SocketClient(layout().controlSocket())) {
            return await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> served(client), Optional::isPresent)
                    .orElseThrow();
        }
    }

    private static Optional<URI> served(SocketClient client) {
        return client.events().stream()
                .filter(event -> event.getType().equals("MetricsServed"))
                .map(event -> URI.create(event.getMessage().replaceFirst(".* on (http://\\S+)$", "$1")))
                .findFirst();
    }

    private static String get(URI address, String path) throws IOException {
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(address.resolve(path))
                                    .timeout(PATIENCE)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Fakes, and a database whose disk fails when the test says so. */
    private static final class World extends FakeSurroundings {
        private final List<Consumer<Optional<DbTrouble>>> watchers = new CopyOnWriteArrayList<>();
        private volatile Optional<DbTrouble> trouble = Optional.empty();

        void trouble(Optional<DbTrouble> now) {
            trouble = now;
            watchers.forEach(watcher -> watcher.accept(now));
        }

        @Override
        public ResourceDb openDb(Path path, LatencyHistogram forces, Supplier<LeaseEnds> ends) {
            return new ForwardingDb(super.openDb(path, forces, ends)) {
                @Override
                public Optional<DbTrouble> trouble() {
                    return trouble;
                }

                @Override
                public void watch(Consumer<Optional<DbTrouble>> watcher) {
                    watchers.add(watcher);
                }
            };
        }
    }
}

package io.enipam.kubernetes.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What tests take for granted of their API server, which the mock alone does not do. */
class FakeApiServerTest {
    /** Below the half minute for which the mock waits until a broken watch has taken what it is told. */
    private static final Duration LONGEST = Duration.ofSeconds(25);

    @Test
    void aWatchThatBreaksWhileItIsToldOfObjectsHoldsUpNoRequest() throws IOException {
        try (FakeApiServer server = new FakeApiServer();
                CuttableProxy line = server.line();
                KubernetesClient watching = new KubernetesClientBuilder()
                        .withConfig(server.config(line))
                        .build()) {
            for (int round = 0; round < 10; round++) {
                for (int i = 0; i < 4; i++) {
                    watching.pods().inNamespace("default").watch(new Deaf());
                }
                String name = "web-" + round + "-";
                for (int i = 0; i < 10; i++) {
                    if (i == 5) {
                        line.drop();
                    }
                    long asked = System.nanoTime();
                    server.client()
                            .resource(Manifests.running(name + i).build())
                            .create();
                    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(LONGEST);
                }
            }
            assertThat(server.client().pods().inNamespace("default").list().getItems())
                    .hasSize(100);
        }
    }

    private static final class Deaf implements Watcher<Pod> {
        @Override
        public void eventReceived(Action action, Pod pod) {}

        @Override
        public void onClose(WatcherException cause) {}
    }
}

package io.enipam.node.overrides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.v1.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Terway's {@code ip_warm_up_size}, by a whole daemon. */
class WarmUpTest {
    @TempDir
    private Path root;

    @Test
    void aNewNodeMakesAsManyIdleAsAreWantedForTheFirstRushAndALaterStartDoesNot() throws IOException {
        Path eniJson = root.resolve("etc/eni/eni.json");
        Files.createDirectories(eniJson.getParent());
        Files.writeString(eniJson, "{\"min_pool_size\": 1, \"max_pool_size\": 2, \"ip_warm_up_size\": 8}");
        try (LivingDaemon first = LivingDaemon.start(root)) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> pool(first).getCounts().getIdle() == 8);
            assertThat(pool(first).getMinIdle())
                    .as("the watermarks are what they are")
                    .isEqualTo(1);
        }
        Files.delete(root.resolve("lib/pool-order.json"));

        try (LivingDaemon second = LivingDaemon.start(root)) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> pool(second).getCounts().getIdle() <= 2);
        }
    }

    private static Pool pool(LivingDaemon daemon) {
        return daemon.client().status().getPool();
    }
}

package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon with a plugin whose constructor waits for a property of the JVM. */
class LoadingBesideTheStartTest {
    private static final String GO = "enipam.test.loading.go";

    @TempDir
    Path root;

    @AfterEach
    void forget() {
        System.clearProperty(GO);
    }

    @Test
    void aPluginThatIsNotConfiguredIsNotWaitedFor() throws Exception {
        Path plugins = Files.createDirectories(root.resolve("lib/plugins"));
        PluginJar.of("slow").plugin("""
                public Plugin() throws InterruptedException {
                    while (System.getProperty("%s") == null) { Thread.sleep(10); }
                }
                public List<PoolPolicyProvider> poolPolicies() {
                    return List.of(PoolPolicyProvider.of("steady", context -> () -> "steady"));
                }
                """.formatted(GO)).write(plugins);

        try (LivingDaemon daemon = LivingDaemon.start(root)) {
            assertThat(slow(daemon).getState()).isEqualTo("LOADING");
            assertThat(daemon.client()
                            .inspect()
                            .listPlugins(ListPluginsRequest.getDefaultInstance())
                            .getPluginsList())
                    .extracting(Plugin::getId)
                    .containsExactly("builtin", "slow");
            assertThat(root.resolve("lib/plugin-loading/slow")).exists();
            System.setProperty(GO, "now");
            // waits for the plugin
            daemon.swapPolicy("steady");

            assertThat(daemon.client().pool().getPolicy()).isEqualTo("steady");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> slow(daemon).getState().equals("ACTIVE"));
            assertThat(root.resolve("lib/plugin-loading/slow")).doesNotExist();
        }

        // now it is selected, and waited for
        try (LivingDaemon daemon = LivingDaemon.start(root)) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> slow(daemon).getState().equals("ACTIVE"));
        }
    }

    private static Plugin slow(LivingDaemon daemon) {
        return daemon.client().plugin("slow");
    }
}

package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.kubernetes.device.FakeKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole daemon whose pods get whole ENIs of the emulated cloud, and a kubelet on real sockets. */
class EniDevicePluginTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path root;

    @Test
    void theKubeletKnowsHowManyPodsCanHaveAnEniWheneverItStartsAndWhateverThePoolLends() throws IOException {
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(
                yaml,
                "daemon: {mode: ENIOnly}\nkubelet: {device_plugins: auto}\npool: {min_idle: 0, max_idle: 1,"
                        + " cool_down: 0s}\n");
        Path directory = Files.createDirectories(root.resolve("kubelet/device-plugins"));
        Path socket = directory.resolve("enipam-eni.sock");
        try (FakeKubelet kubelet = new FakeKubelet(directory)) {
            try (LivingDaemon daemon = LivingDaemon.onTheEmulator(root)) {
                kubelet.start();
                await().atMost(PATIENCE).until(() -> kubelet.hasHeard(3));
                assertThat(kubelet.registrations())
                        .isNotEmpty()
                        .allSatisfy(
                                request -> assertThat(request.getResourceName()).isEqualTo("aliyun/eni"));

                int registered = kubelet.registrations().size();
                kubelet.restart();
                await().atMost(PATIENCE)
                        .until(() -> kubelet.registrations().size() > registered && kubelet.hasHeard(3));

                daemon.swapFactory("eni-ip");
                await().atMost(PATIENCE).until(() -> kubelet.hasHeard(0));
                assertThat(socket).exists();
            }
            assertThat(socket).doesNotExist();
        }
    }
}

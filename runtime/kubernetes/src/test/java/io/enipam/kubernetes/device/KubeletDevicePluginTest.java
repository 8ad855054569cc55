package io.enipam.kubernetes.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeletDevicePluginTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private KubeletDevicePlugin plugin;
    private FakeKubelet kubelet;

    @BeforeEach
    void start() throws IOException {
        plugin = new KubeletDevicePlugin(directory, KubeletDevicePlugin.ENI);
        kubelet = new FakeKubelet(directory);
    }

    @AfterEach
    void stop() {
        plugin.close();
        kubelet.close();
    }

    @Test
    void the_kubelet_learns_how_many_pods_can_have_an_eni_and_when_that_changes() throws IOException {
        plugin.setDevices(2, 2);
        kubelet.start();
        register();
        await().atMost(PATIENCE).until(() -> kubelet.hasHeard(2));
        plugin.setDevices(3, 3);
        await().atMost(PATIENCE).until(() -> kubelet.hasHeard(3));
        assertThat(kubelet.registrations()).isNotEmpty().allSatisfy(request -> {
            assertThat(request.getResourceName()).isEqualTo("aliyun/eni");
            assertThat(request.getVersion()).isEqualTo("v1beta1");
        });
    }

    @Test
    void a_kubelet_that_starts_anew_is_told_again() throws IOException {
        plugin.setDevices(1, 1);
        kubelet.start();
        register();
        int registered = kubelet.registrations().size();
        plugin.checkRegistration();
        assertThat(kubelet.registrations()).hasSize(registered);
        await().atMost(PATIENCE).until(() -> kubelet.hasHeard(1));
        kubelet.restart();
        register();
        assertThat(kubelet.registrations()).hasSizeGreaterThan(registered);
        await().atMost(PATIENCE).until(() -> kubelet.hasHeard(1));
    }

    @Test
    void a_socket_that_the_kubelet_has_removed_is_served_again() throws IOException {
        kubelet.start();
        register();
        int registered = kubelet.registrations().size();
        Files.delete(directory.resolve("enipam-eni.sock"));
        register();
        assertThat(kubelet.registrations()).hasSizeGreaterThan(registered);
        assertThat(directory.resolve("enipam-eni.sock")).exists();
    }

    @Test
    void without_a_kubelet_there_is_trouble_and_no_more() throws IOException {
        plugin.checkRegistration();
        assertThat(plugin.failureReason()).contains("there is no kubelet");
        kubelet.start();
        register();
    }

    @Test
    void a_kubelet_that_refuses_is_asked_again_at_the_next_look() throws IOException {
        kubelet.refuse(Optional.of(Status.INVALID_ARGUMENT.withDescription("no such version")));
        kubelet.start();
        await().atMost(PATIENCE).untilAsserted(() -> {
            plugin.checkRegistration();
            assertThat(plugin.failureReason()).contains("does not take aliyun/eni", "no such version");
        });
        kubelet.refuse(Optional.empty());
        register();
    }

    @Test
    void each_container_that_is_about_to_start_gets_an_answer() throws IOException {
        kubelet.start();
        register();
        assertThat(kubelet.allocate(List.of("eni-0"), List.of("eni-1"))).isEqualTo(2);
    }

    @Test
    void while_no_eni_can_be_made_those_that_pods_have_are_healthy_and_no_others() throws IOException {
        plugin.setDevices(4, 4);
        kubelet.start();
        register();
        kubelet.allocate(List.of("eni-3"));
        kubelet.allocate(List.of("eni-1"));

        plugin.setDevices(4, 2);

        await().atMost(PATIENCE).until(() -> kubelet.healthy().equals(Set.of("eni-1", "eni-3")));
        assertThat(kubelet.all()).isEqualTo(4);
        plugin.setDevices(4, 4);
        await().atMost(PATIENCE).until(() -> kubelet.healthy().size() == 4);
    }

    @Test
    void a_kubelet_that_gave_the_plugin_up_is_told_again_after_some_looks() throws IOException {
        plugin.setDevices(1, 1);
        kubelet.start();
        register();
        await().atMost(PATIENCE).until(() -> kubelet.hasHeard(1));
        int registered = kubelet.registrations().size();
        kubelet.hangUp();

        await().atMost(PATIENCE).untilAsserted(() -> {
            plugin.checkRegistration();
            assertThat(kubelet.registrations()).hasSizeGreaterThan(registered);
        });
        await().atMost(PATIENCE).until(() -> kubelet.hasHeard(1));
    }

    @Test
    void nothing_is_left_behind() throws IOException {
        kubelet.start();
        register();
        plugin.close();
        assertThat(directory.resolve("enipam-eni.sock")).doesNotExist();
    }

    /** Looks until the kubelet has taken it: a look gives up after a few seconds, which a busy machine may need. */
    private void register() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            plugin.checkRegistration();
            assertThat(plugin.failureReason()).isEmpty();
        });
    }
}

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
    void theKubeletLearnsHowManyPodsCanHaveAnEniAndWhenThatChanges() throws IOException {
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
    void aKubeletThatStartsAnewIsToldAgain() throws IOException {
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
    void aSocketThatTheKubeletHasRemovedIsServedAgain() throws IOException {
        kubelet.start();
        register();
        int registered = kubelet.registrations().size();
        Files.delete(directory.resolve("enipam-eni.sock"));
        register();
        assertThat(kubelet.registrations()).hasSizeGreaterThan(registered);
        assertThat(directory.resolve("enipam-eni.sock")).exists();
    }

    @Test
    void withoutAKubeletThereIsTroubleAndNoMore() throws IOException {
        plugin.checkRegistration();
        assertThat(plugin.failureReason()).contains("there is no kubelet");
        kubelet.start();
        register();
    }

    @Test
    void aKubeletThatRefusesIsAskedAgainAtTheNextLook() throws IOException {
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
    void eachContainerThatIsAboutToStartGetsAnAnswer() throws IOException {
        kubelet.start();
        register();
        assertThat(kubelet.allocate(List.of("eni-0"), List.of("eni-1"))).isEqualTo(2);
    }

    @Test
    void whileNoEniCanBeMadeThoseThatPodsHaveAreHealthyAndNoOthers() throws IOException {
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
    void aKubeletThatGaveThePluginUpIsToldAgainAfterSomeLooks() throws IOException {
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
    void nothingIsLeftBehind() throws IOException {
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

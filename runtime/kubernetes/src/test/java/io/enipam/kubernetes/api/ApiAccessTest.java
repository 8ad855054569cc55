package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiAccessTest {
    private static final Map<String, String> IN_A_POD =
            Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "6443");

    @TempDir
    private Path dir;

    @Test
    void outside_of_a_cluster_there_is_no_way_to_one() {
        assertThat(ApiAccess.find(Optional.empty(), Map.of(), dir)).isEmpty();
        assertThat(ApiAccess.find(Optional.empty(), IN_A_POD, dir)).isEmpty();
    }

    @Test
    void a_kubeconfig_that_is_configured_wins_over_all_others() throws IOException {
        Files.writeString(dir.resolve("token"), "t");
        assertThat(ApiAccess.find(Optional.of(dir.resolve("a")), Map.of("KUBECONFIG", "/b"), dir))
                .contains(new ApiAccess.KubeConfig(dir.resolve("a")));
        assertThat(ApiAccess.find(Optional.empty(), Map.of("KUBECONFIG", "/b"), dir))
                .contains(new ApiAccess.KubeConfig(Path.of("/b")));
        assertThat(ApiAccess.find(Optional.empty(), IN_A_POD, dir))
                .contains(new ApiAccess.InCluster(dir, "[fd00::1]:6443"));
    }

    @Test
    void a_service_accounts_token_is_read_anew_when_the_kubelet_replaces_it() throws IOException {
        Files.writeString(dir.resolve("ca.crt"), "");
        Path token = Files.writeString(dir.resolve("token"), "first\n");
        Config config = new ApiAccess.InCluster(dir, "10.0.0.1:443").config();
        assertThat(config.getMasterUrl()).startsWith("https://10.0.0.1:443");
        assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("first");
        Files.move(
                Files.writeString(dir.resolve("next"), "second"),
                token,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("second");
        Files.delete(token);
        assertThat(config.getOauthTokenProvider().getToken())
                .as("good for minutes more")
                .isEqualTo("second");
    }

    @Test
    void a_file_that_is_missing_or_no_kubeconfig_is_named() throws IOException {
        assertThatThrownBy(() -> new ApiAccess.InCluster(dir, "h:1").config())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ca.crt cannot be read");
        Path file = dir.resolve("kubeconfig");
        assertThatThrownBy(() -> new ApiAccess.KubeConfig(file).config())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("kubeconfig cannot be read");
        Files.writeString(file, "clusters: [");
        assertThatThrownBy(() -> new ApiAccess.KubeConfig(file).config())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is no kubeconfig");
    }
}

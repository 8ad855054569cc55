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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiAccessTest {
    private static final Map<String, String> IN_A_POD =
            Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "6443");

    @TempDir
    private Path dir;

    @Test
    void outsideOfAClusterThereIsNoWayToOne() {
        assertThat(ApiAccess.find(Optional.empty(), Map.of(), dir)).isEmpty();
        assertThat(ApiAccess.find(Optional.empty(), IN_A_POD, dir)).isEmpty();
    }

    @Test
    void aKubeconfigThatIsConfiguredWinsOverAllOthers() throws IOException {
        Files.writeString(dir.resolve("token"), "t");
        assertThat(ApiAccess.find(Optional.of(dir.resolve("a")), Map.of("KUBECONFIG", "/b"), dir))
                .contains(new ApiAccess.KubeConfig(dir.resolve("a")));
        assertThat(ApiAccess.find(Optional.empty(), Map.of("KUBECONFIG", "/b"), dir))
                .contains(new ApiAccess.KubeConfig(Path.of("/b")));
        assertThat(ApiAccess.find(Optional.empty(), IN_A_POD, dir))
                .contains(new ApiAccess.InCluster(dir, "[fd00::1]:6443"));
    }

    @Test
    void aServiceAccountsTokenIsReadAnewWhenTheKubeletReplacesIt() throws IOException {
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
    void aFileThatIsMissingOrNoKubeconfigIsNamed() throws IOException {
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

    @ParameterizedTest
    @ValueSource(strings = {"user: {token: SECRET", "user: {token: SECRET}\n - x", "user: [token: SECRET]"})
    void aKubeconfigThatCannotBeReadDoesNotTellItsSecrets(String user) throws IOException {
        Path file = kubeconfig("server: 'https://10.0.0.1'", user);
        assertThatThrownBy(() -> new ApiAccess.KubeConfig(file).config())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is no kubeconfig")
                .hasNoCause()
                .hasMessageNotContaining("SECRET");
    }

    @Test
    void aTokenInAFileOfItsOwnIsReadAsKubectlReadsIt() throws IOException {
        Files.writeString(dir.resolve("token"), "first");
        Config config =
                new ApiAccess.KubeConfig(kubeconfig("server: 'https://10.0.0.1'", "user: {tokenFile: token}")).config();
        assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("first");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server: 'https://h', proxy-url: 'http://p:1' | user: {token: t} | proxy-url or tls-server-name",
                "server: 'https://h', tls-server-name: x | user: {token: t} | proxy-url or tls-server-name",
                "insecure-skip-tls-verify: true | user: {token: t} | no cluster 'c' with a server",
                "server: 'https://h' | user: {exec: {command: /bin/false, apiVersion: v1}} | logs in by a program",
                "server: 'https://h' | user: {auth-provider: {name: oidc}} | logs in by a program"
            })
    void whatADaemonCannotObeyOfAKubeconfigIsRefusedInWords(String cluster, String user, String words)
            throws IOException {
        Path file = kubeconfig(cluster, user);
        assertThatThrownBy(() -> new ApiAccess.KubeConfig(file).config())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server: 'https://h:6443/x', certificate-authority: pki/ca.crt | user: {client-certificate: c.crt, client-key: /k.pem}",
                "server: 'http://h', insecure-skip-tls-verify: true | user: {token: t, username: a, password: b}",
                "server: 'https://h', certificate-authority-data: Y2E= | user: {client-certificate-data: YQ==, client-key-data: Yg==}",
                "server: 'https://h', extensions: [{name: e, extension: {kind: Pod, last: 1}}] | user: {token: t}",
            })
    void aKubeconfigIsReadAsTheClientItselfReadsIt(String cluster, String user) throws IOException {
        Path file = kubeconfig(cluster, user);
        assertThat(new ApiAccess.KubeConfig(file).config())
                .usingRecursiveComparison()
                .ignoringFields("contexts", "currentContext") // which have what the file's name is besides
                .isEqualTo(Config.fromKubeconfig(file.toFile()));
    }

    @Test
    void aKubeconfigWithoutItsCurrentContextIsNoWayToSomeOtherServer() throws IOException {
        Path file = kubeconfig("server: 'https://h'", "user: {token: t}");
        Files.writeString(file, Files.readString(file).replace("current-context: k", "current-context: gone"));
        assertThatThrownBy(() -> new ApiAccess.KubeConfig(file).config()).hasMessageContaining("no context 'gone'");
        Files.writeString(file, Files.readString(file).replace("current-context: gone", ""));
        assertThatThrownBy(() -> new ApiAccess.KubeConfig(file).config()).hasMessageContaining("no current-context");
    }

    private Path kubeconfig(String cluster, String user) throws IOException {
        return Files.writeString(dir.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: k
                contexts: [{name: k, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {%s}}]
                users:
                - name: u
                  %s
                """.formatted(cluster, user));
    }
}

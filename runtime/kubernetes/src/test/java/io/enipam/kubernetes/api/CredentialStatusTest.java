package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialStatusTest {
    private static final Instant FROM = Instant.ofEpochSecond(1_800_000_000);

    @TempDir
    private Path dir;

    @Test
    void aServiceAccountsTokenSaysHowLongItIsGoodFor() {
        String token =
                jwt("{\"iat\":1800000000,\"exp\":1800003607,\"sub\":\"system:serviceaccount:kube-system:enipam\"}");

        assertThat(CredentialStatus.ofToken(token))
                .isEqualTo(new CredentialStatus(
                        "token", Optional.of(FROM), Optional.of(FROM.plusSeconds(3607)), Optional.empty()));
    }

    @Test
    void aTokenOfAnotherKindSaysNothingAndIsNotTold() {
        assertThat(CredentialStatus.ofToken("opaque-secret").until()).isEmpty();
        CredentialStatus nonsense = CredentialStatus.ofToken("a.secret!.c");
        assertThat(nonsense.trouble()).isPresent();
        assertThat(nonsense.toString()).doesNotContain("secret!");
    }

    @Test
    void whatAKubeconfigGoesByIsReadAnew() throws IOException {
        Path kubeconfig = Files.writeString(dir.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: test
                clusters: [{name: test, cluster: {server: "http://127.0.0.1:1"}}]
                users: [{name: test, user: {token: "%s", client-certificate: %s}}]
                contexts: [{name: test, context: {cluster: test, user: test}}]
                """.formatted(
                        jwt("{\"exp\":1800003607}"), Files.writeString(dir.resolve("client.crt"), "no PEM")));

        assertThat(CredentialStatus.of(new ApiAccess.KubeConfig(kubeconfig)))
                .extracting(CredentialStatus::what)
                .containsExactly("token", "client certificate");
        assertThat(CredentialStatus.of(new ApiAccess.KubeConfig(kubeconfig))
                        .get(1)
                        .trouble()
                        .orElseThrow())
                .contains("client.crt holds none");
    }

    private static String jwt(String claims) {
        return "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
                + ".c2ln";
    }
}

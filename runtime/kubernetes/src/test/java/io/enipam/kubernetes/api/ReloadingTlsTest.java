package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.api.ApiServerClient.ApiLimits;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of nobody's, made for this test, good for a hundred years. */
class ReloadingTlsTest {
    private static final List<String> CERTIFICATES = List.of("""
            -----BEGIN CERTIFICATE-----
            MIIBgjCCASmgAwIBAgIUX3Eec/7WmwNg+sY7SEUJNpyfOG0wCgYIKoZIzj0EAwIw
            FjEUMBIGA1UEAwwLYXV0aG9yaXR5LTEwIBcNMjYxMTIxMjI1MTA5WhgPMjEyNjEw
            MjgyMjUxMDlaMBYxFDASBgNVBAMMC2F1dGhvcml0eS0xMFkwEwYHKoZIzj0CAQYI
            KoZIzj0DAQcDQgAE3hub1UhrU574TteanT/ObwOQHYyHpgp82RKqUjVAihkanA21
            spok0FpkDZgC8wd6SwLlm4bLcQqUKYU/YsCtf6NTMFEwHQYDVR0OBBYEFAk1pJuw
            DgClFFCm2R8cvEfQcktvMB8GA1UdIwQYMBaAFAk1pJuwDgClFFCm2R8cvEfQcktv
            MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgf7rqKRpgaBk5LwyW
            4iIJwZWNq55YOYsZIasH6hqMpeUCIFsJ/QecLkA63bd1pEguY2nTfAswO3wB4i/d
            QMXT/nO1
            -----END CERTIFICATE-----
            """, """
            -----BEGIN CERTIFICATE-----
            MIIBgjCCASmgAwIBAgIUWz2qHTLIgFp32nTkyZuI0k65pogwCgYIKoZIzj0EAwIw
            FjEUMBIGA1UEAwwLYXV0aG9yaXR5LTIwIBcNMjYxMTIxMjI1MTA5WhgPMjEyNjEw
            MjgyMjUxMDlaMBYxFDASBgNVBAMMC2F1dGhvcml0eS0yMFkwEwYHKoZIzj0CAQYI
            KoZIzj0DAQcDQgAEV+n+/ajpUq8slP+7/ygu+shvevC2ZFAvDGMc9WOWo2tHXoNx
            AtC/JiYSUvxtmNHaOJThJenXZgFwlo0iPnsxtaNTMFEwHQYDVR0OBBYEFFN74J/7
            DvnBWh9jt+UIVrhhVgD4MB8GA1UdIwQYMBaAFFN74J/7DvnBWh9jt+UIVrhhVgD4
            MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgJMKWJpuHm09RYQFC
            xoo04NyVnd77X9VJ6iKnTB3OLMYCICZA2PMTtq1KKqMD8HqySfvmPLvnijAarFq9
            krS0lk8L
            -----END CERTIFICATE-----
            """);

    private static final List<String> KEYS = List.of("""
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEILaZ/Tof40QopbYEgIGTS7ThOtZ8r6ogrUFdhWZA8qZ/oAoGCCqGSM49
            AwEHoUQDQgAE3hub1UhrU574TteanT/ObwOQHYyHpgp82RKqUjVAihkanA21spok
            0FpkDZgC8wd6SwLlm4bLcQqUKYU/YsCtfw==
            -----END EC PRIVATE KEY-----
            """, """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIGyHQ+7BtJVQm/sGX9JIST6un5V+G5bG51HKkcv+CXNKoAoGCCqGSM49
            AwEHoUQDQgAEV+n+/ajpUq8slP+7/ygu+shvevC2ZFAvDGMc9WOWo2tHXoNxAtC/
            JiYSUvxtmNHaOJThJenXZgFwlo0iPnsxtQ==
            -----END EC PRIVATE KEY-----
            """);

    @TempDir
    private Path dir;

    private Config config;
    private Path certificate;
    private Path key;

    @BeforeEach
    void write() throws IOException {
        certificate = Files.writeString(dir.resolve("tls.crt"), CERTIFICATES.get(0));
        key = Files.writeString(dir.resolve("tls.key"), KEYS.get(0));
        config = new ConfigBuilder(Config.empty())
                .withMasterUrl("https://127.0.0.1:1")
                .withCaCertFile(certificate.toString())
                .withClientCertFile(certificate.toString())
                .withClientKeyFile(key.toString())
                .withClientKeyAlgo("EC")
                .build();
    }

    @Test
    void aClustersAuthorityThatWasReplacedIsTrustedByTheNextConnection() throws IOException {
        X509TrustManager trust = ReloadingTls.trust(List.of(certificate), config);
        assertThat(authorities(trust)).containsExactly("CN=authority-1");
        replace(certificate, CERTIFICATES.get(1));
        assertThat(authorities(trust)).containsExactly("CN=authority-2");
        replace(certificate, "half written");
        assertThat(authorities(trust)).containsExactly("CN=authority-2");
        Files.delete(certificate);
        assertThat(authorities(trust)).containsExactly("CN=authority-2");
    }

    @Test
    void aCertificateThatTheKubeletHasRenewedIsShownByTheNextConnection() throws Exception {
        X509ExtendedKeyManager keys = ReloadingTls.keys(certificate, key);
        assertThat(shown(keys)).isEqualTo("CN=authority-1");
        replace(certificate, CERTIFICATES.get(1));
        replace(key, KEYS.get(1));
        assertThat(shown(keys)).isEqualTo("CN=authority-2");
    }

    @Test
    void theClientGoesByThem() throws IOException {
        ApiServerClient.open(access(), ApiLimits.usual(), RequestListener.NONE).close();
        replace(certificate, "no certificate");
        assertThatThrownBy(() -> ApiServerClient.open(access(), ApiLimits.usual(), RequestListener.NONE))
                .isInstanceOf(Exception.class);
    }

    private ApiAccess access() throws IOException {
        return new ApiAccess.KubeConfig(Files.writeString(dir.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: k
                contexts: [{name: k, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', certificate-authority: tls.crt}}]
                users: [{name: u, user: {client-certificate: tls.crt, client-key: tls.key}}]
                """));
    }

    /** As the HTTP client of the JDK asks, over an engine: a manager of the plain interface would show nothing. */
    private static String shown(X509ExtendedKeyManager keys) throws GeneralSecurityException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        String alias = keys.chooseEngineClientAlias(new String[] {"EC"}, new Principal[0], engine);
        return name(keys.getCertificateChain(alias)[0]);
    }

    /** Those of the machine are trusted, too. */
    private static List<String> authorities(X509TrustManager trust) {
        return Arrays.stream(trust.getAcceptedIssuers())
                .map(ReloadingTlsTest::name)
                .filter(name -> name.startsWith("CN=authority-"))
                .toList();
    }

    private static String name(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().getName();
    }

    private void replace(Path file, String text) throws IOException {
        Files.move(Files.writeString(dir.resolve("next"), text), file, StandardCopyOption.REPLACE_EXISTING);
    }
}

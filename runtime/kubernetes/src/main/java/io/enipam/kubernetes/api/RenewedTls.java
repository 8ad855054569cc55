package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that are in files are read again when they are replaced, for each connection that is opened: kubelets renew their own
 * every few months, and a cluster's authority is replaced now and then. The client reads them once.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/tls/certificate-rotation/">certificate rotation of the kubelet</a>
 */
final class RenewedTls {
    private RenewedTls() {}

    /** @throws IOException if a file cannot be read, or has no certificate; the message names it */
    static void over(HttpClient.Builder builder, Config config) throws IOException {
        List<Path> own = files(config.getClientCertFile(), config.getClientKeyFile());
        List<Path> theirs = files(config.getCaCertFile());
        boolean renewsOwn =
                own.size() == 2 && isEmpty(config.getClientCertData()) && isEmpty(config.getClientKeyData());
        boolean renewsTheirs = !theirs.isEmpty() && isEmpty(config.getCaCertData()) && !config.isTrustCerts();
        if (renewsOwn || renewsTheirs) {
            builder.sslContext(
                    renewsOwn ? new KeyManager[] {keys(own, config)} : made(own, () -> SSLUtils.keyManagers(config)),
                    renewsTheirs
                            ? new TrustManager[] {trust(theirs, config)}
                            : made(theirs, () -> SSLUtils.trustManagers(config)));
        }
    }

    static RenewedKeys keys(List<Path> files, Config config) throws IOException {
        return made(
                files,
                () -> new RenewedKeys(
                        new FromFiles<>(files, () -> the(X509ExtendedKeyManager.class, SSLUtils.keyManagers(config)))));
    }

    static RenewedTrust trust(List<Path> files, Config config) throws IOException {
        return made(
                files,
                () -> new RenewedTrust(new FromFiles<>(files, () -> {
                    requireCertificates(files);
                    return the(X509ExtendedTrustManager.class, SSLUtils.trustManagers(config));
                })));
    }

    /** The client takes a file that is half written, or empty, for one that adds nobody to those it trusts. */
    private static void requireCertificates(List<Path> files) throws IOException, GeneralSecurityException {
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
                if (CertificateFactory.getInstance("X.509")
                        .generateCertificates(in)
                        .isEmpty()) {
                    throw new CertificateException(file + " holds no certificate");
                }
            }
        }
    }

    private static <T> T made(List<Path> files, FromFiles.Maker<T> maker) throws IOException {
        try {
            return maker.make();
        } catch (GeneralSecurityException | RuntimeException e) {
            throw new IOException(files + " cannot be used: " + e.getClass().getSimpleName());
        }
    }

    private static <T> T the(Class<T> type, @Nullable Object[] managers) throws GeneralSecurityException {
        return Arrays.stream(managers == null ? new Object[0] : managers)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow(() -> new GeneralSecurityException("there is nothing in them"));
    }

    private static List<Path> files(@Nullable String... names) {
        return Stream.of(names).filter(name -> !isEmpty(name)).map(Path::of).toList();
    }

    private static boolean isEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }
}

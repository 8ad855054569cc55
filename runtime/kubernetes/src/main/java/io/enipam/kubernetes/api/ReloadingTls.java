package io.enipam.kubernetes.api;

import io.enipam.security.ClientIdentity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that are in files are read again when they are replaced, for each connection that is opened: kubelets renew their own
 * every few months, and a cluster's authority is replaced now and then. The client reads them once.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/tls/certificate-rotation/">certificate rotation of the kubelet</a>
 */
final class ReloadingTls {
    private ReloadingTls() {}

    /**
     * Makes a builder of connections that show and trust what the configuration names. The client's key is out of the configuration
     * while fabric8 reads that: of PKCS#8 it takes RSA alone, and fails on the rest.
     *
     * @param usual makes it of the configuration
     * @throws IOException if a file cannot be read, or has no certificate or key; the message names it
     */
    static HttpClient.Builder builder(Config config, Supplier<HttpClient.Builder> usual) throws IOException {
        Optional<KeyManager> own = own(config);
        HttpClient.Builder builder = own.isPresent() ? withoutKey(config, usual) : usual.get();
        List<Path> theirs = files(config.getCaCertFile());
        boolean renewsTheirs = !theirs.isEmpty() && isEmpty(config.getCaCertData()) && !config.isTrustCerts();
        if (own.isPresent() || renewsTheirs) {
            builder.sslContext(
                    own.stream().toArray(KeyManager[]::new),
                    renewsTheirs
                            ? new TrustManager[] {trust(theirs, config)}
                            : made(theirs, () -> SSLUtils.trustManagers(config)));
        }
        return builder;
    }

    private static HttpClient.Builder withoutKey(Config config, Supplier<HttpClient.Builder> usual) {
        String file = config.getClientKeyFile();
        String data = config.getClientKeyData();
        config.setClientKeyFile(null);
        config.setClientKeyData(null);
        try {
            return usual.get();
        } finally {
            config.setClientKeyFile(file);
            config.setClientKeyData(data);
        }
    }

    private static Optional<KeyManager> own(Config config) throws IOException {
        boolean certificate = !isEmpty(config.getClientCertData()) || !isEmpty(config.getClientCertFile());
        boolean key = !isEmpty(config.getClientKeyData()) || !isEmpty(config.getClientKeyFile());
        if (!certificate && !key) {
            return Optional.empty();
        }
        if (!certificate || !key) {
            throw new IOException(
                    "the user of the kubeconfig has a client " + (key ? "key and no" : "certificate and no")
                            + " client " + (key ? "certificate" : "key") + "; give both or none");
        }
        if (isEmpty(config.getClientCertData()) && isEmpty(config.getClientKeyData())) {
            return Optional.of(keys(Path.of(config.getClientCertFile()), Path.of(config.getClientKeyFile())));
        }
        // what has data does not change; beside it, data is what kubectl goes by
        List<Path> files = files(
                isEmpty(config.getClientCertData()) ? config.getClientCertFile() : null,
                isEmpty(config.getClientKeyData()) ? config.getClientKeyFile() : null);
        return Optional.of(made(
                files,
                () -> ClientIdentity.of(
                        content(config.getClientCertData(), config.getClientCertFile()),
                        content(config.getClientKeyData(), config.getClientKeyFile()))));
    }

    private static byte[] content(@Nullable String data, @Nullable String file) throws IOException, KeyException {
        if (isEmpty(data)) {
            return Files.readAllBytes(Path.of(file));
        }
        try {
            return Base64.getDecoder().decode(data.strip());
        } catch (IllegalArgumentException e) {
            throw new KeyException("the client's certificate or key data is no base64");
        }
    }

    static ReloadingKeyManager keys(Path certificate, Path key) throws IOException {
        List<Path> files = List.of(certificate, key);
        return made(
                files,
                () -> new ReloadingKeyManager(new FileBackedValue<>(
                        files, () -> ClientIdentity.of(Files.readAllBytes(certificate), Files.readAllBytes(key)))));
    }

    static ReloadingTrustManager trust(List<Path> files, Config config) throws IOException {
        return made(
                files,
                () -> new ReloadingTrustManager(new FileBackedValue<>(files, () -> {
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

    private static <T> T made(List<Path> files, FileBackedValue.Loader<T> maker) throws IOException {
        try {
            return maker.make();
        } catch (KeyException e) {
            throw new IOException((files.isEmpty() ? "the kubeconfig" : files) + " cannot be used: " + e.getMessage());
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

package io.enipam.kubernetes.api;

import io.enipam.kubernetes.api.ReloadingTls.FileBackedValue;
import io.enipam.kubernetes.api.ReloadingTls.FileVersion;
import io.enipam.security.ClientIdentity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads certificates again when their files are replaced, at each new connection: kubelets renew their own every few
 * months, and a cluster's authority changes from time to time. The client reads them once.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/tls/certificate-rotation/">certificate rotation of the kubelet</a>
 */
final class ReloadingTls {
    private ReloadingTls() {}

    /**
     * Makes a builder of connections with the configured certificates. The client's key is removed from the
     * configuration while fabric8 reads that: of PKCS#8 it accepts only RSA, and fails on other keys.
     *
     * @param usual makes the builder from the configuration
     * @throws IOException if a file cannot be read, or contains no certificate or key; the message names it
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
        // inline data does not change; if both are present, kubectl uses the data
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

    static X509ExtendedKeyManager keys(Path certificate, Path key) throws IOException {
        List<Path> files = List.of(certificate, key);
        return made(
                files,
                () -> new ReloadingKeyManager(new FileBackedValue<>(
                        files, () -> ClientIdentity.of(Files.readAllBytes(certificate), Files.readAllBytes(key)))));
    }

    static X509TrustManager trust(List<Path> files, Config config) throws IOException {
        FileBackedValue<X509TrustManager> value = made(
                files,
                () -> new FileBackedValue<>(files, () -> {
                    requireCertificates(files);
                    return Stream.ofNullable(SSLUtils.trustManagers(config))
                            .flatMap(Stream::of)
                            .filter(X509TrustManager.class::isInstance)
                            .map(X509TrustManager.class::cast)
                            .findFirst()
                            .orElseThrow(() -> new GeneralSecurityException("there is nothing in them"));
                }));
        // of the plain interface and not the extended one: for such a trust manager the JDK itself checks host names
        return (X509TrustManager) Proxy.newProxyInstance(
                ReloadingTls.class.getClassLoader(),
                new Class<?>[] {X509TrustManager.class},
                (self, method, args) -> invoke(value.current(), method, args));
    }

    /** Calls the target of a proxy; what it throws reaches the proxy's caller as it is. */
    static @Nullable Object invoke(Object target, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The client treats an empty or half-written file as one without authorities. */
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

    private static List<Path> files(@Nullable String... names) {
        return Stream.of(names).filter(name -> !isEmpty(name)).map(Path::of).toList();
    }

    private static boolean isEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }

    /** Distinguishes successive files of one name: the kubelet swaps a symbolic link, others write in place. */
    record FileVersion(String key, long modified, long size) {
        static FileVersion of(Path file) throws IOException {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileVersion(
                    String.valueOf(now.fileKey()), now.lastModifiedTime().toMillis(), now.size());
        }
    }

    /**
     * A value made of files, and made anew when they change. If that fails the last value remains, since a write may be
     * in progress. Thread-safe; {@code this} guards the value.
     */
    static final class FileBackedValue<T> {
        private static final Logger LOG = LoggerFactory.getLogger(FileBackedValue.class);

        private final List<Path> files;
        private final Loader<? extends T> maker;
        private List<FileVersion> versions;
        private T made;

        @FunctionalInterface
        interface Loader<T> {
            T make() throws IOException, GeneralSecurityException;
        }

        FileBackedValue(List<Path> files, Loader<? extends T> maker) throws IOException, GeneralSecurityException {
            this.files = List.copyOf(files);
            this.maker = maker;
            // before the value is made: a replacement during that time is another version
            this.versions = versions();
            this.made = maker.make();
        }

        synchronized T current() {
            try {
                List<FileVersion> there = versions();
                if (!there.equals(versions)) {
                    made = maker.make();
                    versions = there;
                    LOG.info("{} were replaced, and are read anew", files);
                }
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                LOG.warn("{} cannot be read, so what was read before is used: {}", files, e.toString());
            }
            return made;
        }

        private List<FileVersion> versions() throws IOException {
            List<FileVersion> all = new ArrayList<>();
            for (Path file : files) {
                all.add(FileVersion.of(file));
            }
            return all;
        }
    }

    /**
     * The key and certificate of the files of the time of each connection. It has the extended interface: of a plain key
     * manager the JDK shows a server no certificate over the engine of its HTTP client. Thread-safe.
     */
    static final class ReloadingKeyManager extends X509ExtendedKeyManager {
        private final FileBackedValue<X509ExtendedKeyManager> keys;

        ReloadingKeyManager(FileBackedValue<X509ExtendedKeyManager> keys) {
            this.keys = keys;
        }

        @Override
        public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
            return keys.current().chooseEngineClientAlias(types, issuers, engine);
        }

        @Override
        public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return keys.current().chooseClientAlias(types, issuers, socket);
        }

        @Override
        public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
            return keys.current().getClientAliases(type, issuers);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return keys.current().getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return keys.current().getPrivateKey(alias);
        }

        @Override
        public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return keys.current().chooseServerAlias(type, issuers, socket);
        }

        @Override
        public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
            return keys.current().getServerAliases(type, issuers);
        }
    }
}

package io.enipam.kubernetes.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * An API server over TLS that serves only clients with a certificate, and notes whose it was: lists are empty, and there is a node
 * {@code n}. And such clients, with keys in all forms.
 */
public final class TlsApiServer implements AutoCloseable {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private static final String OPENSSL_SEC1 = """
            -----BEGIN EC PARAMETERS-----
            BggqhkjOPQMBBw==
            -----END EC PARAMETERS-----
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIE+nwTJC4qm/EP2Oql6L9x7lFDae/56knqOz1Iv5I3dwoAoGCCqGSM49
            AwEHoUQDQgAEteHY5vVEsgvFqoHgwsPq6zQxRNSpGMafrVfwRAWd9f+Ny7deMKwo
            1c4ABd/31LSXtkccVL4jiB9xPJuSzuN/Ig==
            -----END EC PRIVATE KEY-----
            """;

    private static final String OPENSSL_PKCS8 = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgT6fBMkLiqb8Q/Y6q
            Xov3HuUUNp7/nqSeo7PUi/kjd3ChRANCAAS14djm9USyC8WqgeDCw+rrNDFE1KkY
            xp+tV/BEBZ31/43Lt14wrCjVzgAF3/fUtJe2RxxUviOIH3E8m5LO438i
            -----END PRIVATE KEY-----
            """;

    private static final String OPENSSL_CERTIFICATE = """
            -----BEGIN CERTIFICATE-----
            MIIBhjCCAS2gAwIBAgIUWeHtBptMcNQJNysnDAYe4rkihKwwCgYIKoZIzj0EAwIw
            GDEWMBQGA1UEAwwNZWMtYnktb3BlbnNzbDAgFw0yNjExMjMxNjU2MTFaGA8yMTI2
            MTAzMDE2NTYxMVowGDEWMBQGA1UEAwwNZWMtYnktb3BlbnNzbDBZMBMGByqGSM49
            AgEGCCqGSM49AwEHA0IABLXh2Ob1RLILxaqB4MLD6us0MUTUqRjGn61X8EQFnfX/
            jcu3XjCsKNXOAAXf99S0l7ZHHFS+I4gfcTybks7jfyKjUzBRMB0GA1UdDgQWBBTK
            lCvnX3BuG2XZqDP2REnZ3fnTqzAfBgNVHSMEGDAWgBTKlCvnX3BuG2XZqDP2REnZ
            3fnTqzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIDwA7tGehVML
            trWsn28mb0nKPSEd+0gly1urR9VXDWTEAiBoDK1sljEn+OphMxeJ7FvLrq4Dl2Jx
            YCNgVpBOHVyQqw==
            -----END CERTIFICATE-----
            """;

    private final Path directory;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<String> clients = new ConcurrentLinkedQueue<>();

    /**
     * A client.
     *
     * @param name of its certificate
     * @param certificate in PEM
     * @param key in PEM
     */
    public record Client(String name, String certificate, String key) {}

    private TlsApiServer(Path directory, HttpsServer server) {
        this.directory = directory;
        this.server = server;
    }

    /** @param directory for its own files */
    public static TlsApiServer start(Path directory) throws IOException, GeneralSecurityException {
        KeyStore own = made(directory.resolve("server.p12"), "server", "-keyalg", "EC", "-ext", "san=ip:127.0.0.1");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), new TrustManager[] {new Everybody()}, null);
        HttpsServer https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = tls.getDefaultSSLParameters();
                wanted.setNeedClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        Files.writeString(
                directory.resolve("ca.crt"),
                pem("CERTIFICATE", own.getCertificate("server").getEncoded()));
        TlsApiServer server = new TlsApiServer(directory, https);
        https.createContext("/", server::answer);
        https.setExecutor(server.threads);
        https.start();
        return server;
    }

    private void answer(HttpExchange exchange) throws IOException {
        clients.add(
                ((HttpsExchange) exchange).getSSLSession().getPeerPrincipal().getName());
        String path = exchange.getRequestURI().getPath();
        boolean node = path.matches("/api/v1/nodes/[^/]+");
        boolean found = !node || path.endsWith("/n");
        String kind = !node ? (path.endsWith("nodes") ? "NodeList" : "PodList") : found ? "Node" : "Status";
        String body = "{\"apiVersion\": \"v1\", \"kind\": \"" + kind + "\", \"metadata\": "
                + (node && found ? "{\"name\": \"n\"}" : "{}")
                + (node ? found ? "" : ", \"code\": 404" : ", \"items\": []") + "}";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(found ? 200 : 404, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** Whose requests were served, in order. */
    public List<String> clients() {
        return List.copyOf(clients);
    }

    /** A kubeconfig that names the files of a client. */
    public Path withFiles(Client client) throws IOException {
        Files.writeString(directory.resolve(client.name() + ".crt"), client.certificate());
        Files.writeString(directory.resolve(client.name() + ".key"), client.key());
        return kubeconfig(
                client, "client-certificate: " + client.name() + ".crt, client-key: " + client.name() + ".key");
    }

    /** A kubeconfig that has a client in it. */
    public Path withData(Client client) throws IOException {
        return kubeconfig(
                client,
                "client-certificate-data: " + base64(client.certificate()) + ", client-key-data: "
                        + base64(client.key()));
    }

    private Path kubeconfig(Client client, String user) throws IOException {
        return Files.writeString(directory.resolve(client.name() + ".kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: k
                contexts: [{name: k, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: 'https://127.0.0.1:%d', certificate-authority: ca.crt}}]
                users: [{name: u, user: {%s}}]
                """.formatted(
                        server.getAddress().getPort(), user));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The key of {@code openssl ecparam -genkey}, with the block of parameters that it writes before the key. */
    public static Client ecInSec1() {
        return new Client("ec-by-openssl", OPENSSL_CERTIFICATE, OPENSSL_SEC1);
    }

    /** The same key, as {@code openssl genpkey -algorithm EC} writes them. */
    public static Client ecInPkcs8() {
        return new Client("ec-by-openssl", OPENSSL_CERTIFICATE, OPENSSL_PKCS8);
    }

    /** Clients with keys of other algorithms and in other forms. */
    public List<Client> others() throws IOException, GeneralSecurityException {
        Client rsa = client("rsa", "-keyalg", "RSA", "-keysize", "2048");
        byte[] pkcs8 = Base64.getMimeDecoder().decode(rsa.key().replaceAll("-----.*", ""));
        // what stands before the key itself in PKCS#8 is as long for each key of 2048 bits
        byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);
        return List.of(
                rsa,
                new Client("rsa", rsa.certificate(), pem("RSA PRIVATE KEY", pkcs1)),
                new Client("rsa", rsa.certificate(), pem("RSA PRIVATE KEY", pkcs8)),
                client("p384", "-keyalg", "EC", "-groupname", "secp384r1"),
                client("ed25519", "-keyalg", "Ed25519"));
    }

    private Client client(String name, String... kind) throws IOException, GeneralSecurityException {
        KeyStore store = made(directory.resolve(name + ".p12"), name, kind);
        return new Client(
                name,
                pem("CERTIFICATE", store.getCertificate(name).getEncoded()),
                pem("PRIVATE KEY", store.getKey(name, PASSWORD).getEncoded()));
    }

    private static KeyStore made(Path file, String name, String... kind) throws IOException, GeneralSecurityException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-validity",
                "365",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString()));
        command.addAll(List.of(kind));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException("keytool: " + said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type + "-----\n";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** Whoever has the key of a certificate, whatever that says. */
    private static final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

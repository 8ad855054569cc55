package io.enipam.etcd;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How etcd is reached, and where in it the tables are. Checked whole: an {@link IllegalArgumentException} names every problem.
 *
 * @param endpoints the members, 1 to 16, as {@code https://HOST:2379} or {@code http://HOST:2379}, all of one scheme; the port is
 *     2379 where none is given. Calls go to the first one, and to the next one when they fail
 * @param tls with https: whom to trust and as whom to appear; empty for the JDK's trusted authorities and no certificate
 * @param user empty where etcd has no authentication, or takes the name in the client's certificate
 * @param prefix what all keys begin with: {@code /} and up to 63 letters, digits and {@code . _ - /}; the user needs the role to
 *     read and write the keys from {@code PREFIX/} up to {@code PREFIX0}
 * @param patience how long a call is repeated before it fails, 1 s to 5 min
 */
public record EtcdSettings(
        List<URI> endpoints, Optional<Tls> tls, Optional<User> user, String prefix, Duration patience) {
    private static final int MOST_ENDPOINTS = 16;
    private static final Pattern PREFIX = Pattern.compile("/[A-Za-z0-9._/-]{0,62}[A-Za-z0-9._-]");
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(1);
    private static final Duration MOST_PATIENCE = Duration.ofMinutes(5);

    public static final int DEFAULT_PORT = 2379;
    public static final String DEFAULT_PREFIX = "/enipam";
    public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(15);

    public EtcdSettings {
        endpoints = List.copyOf(endpoints);
        List<String> problems = new ArrayList<>();
        if (endpoints.isEmpty() || endpoints.size() > MOST_ENDPOINTS) {
            problems.add("endpoints: " + endpoints.size() + "; 1 to " + MOST_ENDPOINTS + " are allowed");
        }
        endpoints.stream()
                .filter(endpoint -> !isMember(endpoint))
                .forEach(endpoint -> problems.add("endpoints: '" + withoutUser(endpoint)
                        + "' is not of the form https://HOST:PORT or http://HOST:PORT"));
        if (endpoints.stream().map(URI::getScheme).distinct().count() > 1) {
            problems.add("endpoints: some are http and some https; all need the same");
        }
        if (tls.isPresent() && endpoints.stream().anyMatch(endpoint -> "http".equals(endpoint.getScheme()))) {
            problems.add("tls: has no meaning with an endpoint of http; use https");
        }
        if (!PREFIX.matcher(prefix).matches()) {
            problems.add("prefix: '" + prefix
                    + "' is not / and 1 to 63 letters, digits and . _ - /, without a / at its end");
        }
        if (patience.compareTo(LEAST_PATIENCE) < 0 || patience.compareTo(MOST_PATIENCE) > 0) {
            problems.add("patience: " + patience.toMillis() + " ms; " + LEAST_PATIENCE.toSeconds() + " s to "
                    + MOST_PATIENCE.toMinutes() + " min are allowed");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** The defaults of all else. */
    public EtcdSettings(List<URI> endpoints) {
        this(endpoints, Optional.empty(), Optional.empty(), DEFAULT_PREFIX, DEFAULT_PATIENCE);
    }

    private static boolean isMember(URI endpoint) {
        return ("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
                && endpoint.getHost() != null
                && endpoint.getUserInfo() == null
                && (endpoint.getPath().isEmpty() || endpoint.getPath().equals("/"))
                && endpoint.getQuery() == null
                && endpoint.getFragment() == null;
    }

    private static String withoutUser(URI endpoint) {
        return endpoint.toString().replaceFirst("//[^/]*@", "//***@");
    }

    static int port(URI endpoint) {
        return endpoint.getPort() < 0 ? DEFAULT_PORT : endpoint.getPort();
    }

    /**
     * Files in PEM, read when the connection is opened.
     *
     * @param authorities the certificates to trust; empty for those of the JDK
     * @param certificate empty where etcd does not ask clients for one
     */
    public record Tls(Optional<Path> authorities, Optional<ClientCertificate> certificate) {}

    /**
     * As whom a client appears.
     *
     * @param chain the certificate, and those it was issued by
     * @param key its private key, PKCS #8 without a passphrase
     */
    public record ClientCertificate(Path chain, Path key) {}

    /** A user of etcd; not empty. It shows no password. */
    public record User(String name, String password) {
        public User {
            if (name.isEmpty() || password.isEmpty()) {
                throw new IllegalArgumentException("a user of etcd needs a name and a password");
            }
        }

        @Override
        public String toString() {
            return "User[" + name + ", ***]";
        }
    }
}

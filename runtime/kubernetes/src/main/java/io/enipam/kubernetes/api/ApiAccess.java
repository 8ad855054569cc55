package io.enipam.kubernetes.api;

import io.enipam.kubernetes.api.ReloadingTls.FileVersion;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API server's address, and the credentials of the daemon. */
public sealed interface ApiAccess {
    /** Where the kubelet mounts a pod's service account. */
    Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /**
     * The service account of the pod that the daemon runs in.
     *
     * @param secrets directory with {@code token} and {@code ca.crt}
     * @param address {@code HOST:PORT}
     */
    record InCluster(Path secrets, String address) implements ApiAccess {
        @Override
        public Config config() throws IOException {
            Path ca = secrets.resolve("ca.crt");
            if (!Files.isReadable(ca)) {
                throw new IOException(ca + " cannot be read");
            }
            return new ConfigBuilder(Config.empty())
                    .withMasterUrl("https://" + address)
                    .withCaCertFile(ca.toString())
                    .withOauthTokenProvider(new TokenFile(secrets.resolve("token")))
                    .build();
        }

        @Override
        public String toString() {
            return "the service account in " + secrets;
        }
    }

    /**
     * A kubeconfig file, as kubectl reads it; its current context counts. Entries that a daemon cannot obey are refused
     * before the client reads the file: the client would silently ignore them, or use a server that the file does not
     * name, or run a program. Messages contain only names from the file.
     *
     * @see <a href="https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/">kubeconfig</a>
     */
    record KubeConfig(Path file) implements ApiAccess {
        /** A parser's message quotes the wrong line, which may contain a token. */
        private static final Pattern LINE = Pattern.compile("line:? (\\d{1,9})");

        @Override
        public Config config() throws IOException {
            if (!Files.isReadable(file)) {
                throw new IOException(file + " cannot be read");
            }
            var content = content();
            Optional<Path> token = tokenFile(content);
            Config config = Config.empty();
            try {
                // what Config.fromKubeconfig does, but for its mapper
                KubeConfigUtils.merge(config, null, withAbsolutePaths(content));
            } catch (RuntimeException e) {
                // neither the message nor the cause: they quote the file
                throw new IOException(file + " is no kubeconfig that the client understands");
            }
            token.ifPresent(there -> config.setOauthTokenProvider(new TokenFile(there)));
            return config;
        }

        private io.fabric8.kubernetes.api.model.Config content() throws IOException {
            String text = Files.readString(file);
            try {
                var content = ApiSerialization.INSTANCE.unmarshal(text, io.fabric8.kubernetes.api.model.Config.class);
                if (content != null) {
                    return content;
                }
            } catch (RuntimeException e) {
                throw new IOException(file + " is no kubeconfig: " + place(e) + " cannot be understood");
            }
            throw new IOException(file + " is no kubeconfig: it is empty");
        }

        private static String place(Throwable error) {
            for (Throwable at = error; at != null; at = at.getCause()) {
                Matcher line = LINE.matcher(String.valueOf(at.getMessage()));
                if (line.find()) {
                    return "line " + line.group(1);
                }
            }
            return "what is in it";
        }

        /** Checks that a daemon can use the file, and finds the user's token, if that is in a file of its own. */
        private Optional<Path> tokenFile(io.fabric8.kubernetes.api.model.Config content) throws IOException {
            String current = content.getCurrentContext() == null ? "" : content.getCurrentContext();
            if (current.isEmpty()) {
                throw refusal("it has no current-context", "kubectl config --kubeconfig " + file + " use-context NAME");
            }
            Context context = named(
                            content.getContexts(), its -> current.equals(its.getName()), NamedContext::getContext)
                    .orElseThrow(() -> refusal("it has no context '" + current + "'", "name one that there is"));
            String server = String.valueOf(context.getCluster());
            Cluster cluster = named(
                            content.getClusters(), its -> server.equals(its.getName()), NamedCluster::getCluster)
                    .filter(its -> isThere(its.getServer()))
                    .orElseThrow(() -> refusal("it has no cluster '" + server + "' with a server", "add it"));
            if (isThere(cluster.getProxyUrl()) || isThere(cluster.getTlsServerName())) {
                throw refusal(
                        "cluster '" + server + "' has proxy-url or tls-server-name, which this daemon does not obey",
                        "name a server that can be reached without");
            }
            String name = context.getUser();
            if (!isThere(name)) {
                return Optional.empty();
            }
            AuthInfo user = named(content.getUsers(), its -> name.equals(its.getName()), NamedAuthInfo::getUser)
                    .orElseThrow(() -> refusal("it has no user '" + name + "'", "add it"));
            if (user.getExec() != null || user.getAuthProvider() != null) {
                throw refusal(
                        "user '" + name + "' logs in by a program (exec or auth-provider), which no daemon waits for",
                        "give it a token, tokenFile or a client certificate");
            }
            return Optional.ofNullable(user.getTokenFile())
                    .filter(KubeConfig::isThere)
                    .map(file.toAbsolutePath()::resolveSibling);
        }

        /** Files are named relative to the directory of the kubeconfig. */
        private io.fabric8.kubernetes.api.model.Config withAbsolutePaths(
                io.fabric8.kubernetes.api.model.Config content) {
            Stream.ofNullable(content.getClusters())
                    .flatMap(List::stream)
                    .map(NamedCluster::getCluster)
                    .filter(Objects::nonNull)
                    .forEach(cluster -> cluster.setCertificateAuthority(absolute(cluster.getCertificateAuthority())));
            Stream.ofNullable(content.getUsers())
                    .flatMap(List::stream)
                    .map(NamedAuthInfo::getUser)
                    .filter(Objects::nonNull)
                    .forEach(user -> {
                        user.setClientCertificate(absolute(user.getClientCertificate()));
                        user.setClientKey(absolute(user.getClientKey()));
                    });
            return content;
        }

        private @Nullable String absolute(@Nullable String path) {
            return isThere(path) ? file.toAbsolutePath().resolveSibling(path).toString() : path;
        }

        private static <N, T> Optional<T> named(@Nullable List<N> all, Predicate<N> is, Function<N, @Nullable T> what) {
            return Stream.ofNullable(all)
                    .flatMap(List::stream)
                    .filter(is)
                    .findFirst()
                    .map(what);
        }

        private IOException refusal(String why, String what) {
            return new IOException("the kubeconfig " + file + " cannot be used: " + why + "; " + what);
        }

        private static boolean isThere(@Nullable String text) {
            return text != null && !text.isEmpty();
        }

        @Override
        public String toString() {
            return "the kubeconfig " + file;
        }
    }

    /** @throws IOException if a required file cannot be read; the message names it */
    Config config() throws IOException;

    /** Finds the configured kubeconfig, else that of {@code KUBECONFIG}, else the pod's account; else empty. */
    static Optional<ApiAccess> find(Optional<Path> configured, Map<String, String> environment, Path secrets) {
        if (configured.isPresent()) {
            return configured.map(KubeConfig::new);
        }
        String kubeconfig = environment.getOrDefault("KUBECONFIG", "");
        if (!kubeconfig.isEmpty()) {
            return Optional.of(new KubeConfig(Path.of(kubeconfig)));
        }
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        if (host.isEmpty() || !Files.exists(secrets.resolve("token"))) {
            return Optional.empty();
        }
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return Optional.of(new InCluster(secrets, (host.contains(":") ? "[" + host + "]" : host) + ":" + port));
    }

    /**
     * A service account's token, which the kubelet replaces long before it expires: read again when the file changes. While
     * the file cannot be read, the last token is used, which stays valid for minutes. Thread-safe; {@code this} guards the
     * token.
     *
     * @see <a href="https://kubernetes.io/docs/concepts/storage/projected-volumes/">projected volumes</a>
     */
    final class TokenFile implements OAuthTokenProvider {
        private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
        private static final int LONGEST = 64 * 1024;

        private final Path file;
        private @Nullable FileVersion read;
        private @Nullable String token;

        TokenFile(Path file) {
            this.file = file;
        }

        /** @return the token, or null if there has never been one: the request is sent without, and refused with 401 */
        @Override
        public synchronized @Nullable String getToken() {
            try {
                FileVersion version = FileVersion.of(file);
                if (!version.equals(read)) {
                    if (version.size() > LONGEST) {
                        throw new IOException("it has " + version.size() + " bytes, more than any token");
                    }
                    token = Files.readString(file).strip();
                    read = version;
                }
            } catch (IOException e) {
                LOG.warn("the token in {} cannot be read: {}", file, e.toString());
            }
            return token;
        }
    }
}

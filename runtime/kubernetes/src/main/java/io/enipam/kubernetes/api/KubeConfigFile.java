package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The current context of a kubeconfig file, read before the client reads it. Unsupported entries are refused with a
 * message: the client would silently ignore them, or use a server that the file does not name, or run a program.
 * Messages contain only names from the file.
 *
 * @see <a href="https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/">kubeconfig</a>
 */
final class KubeConfigFile {
    /** A parser's message quotes the wrong line, which may contain a token. */
    private static final Pattern LINE = Pattern.compile("line:? (\\d{1,9})");

    private final Path file;
    private final Config config;

    private KubeConfigFile(Path file, Config config) {
        this.file = file;
        this.config = config;
    }

    static KubeConfigFile read(Path file) throws IOException {
        String text = Files.readString(file);
        try {
            Config config = Serialization.unmarshal(text, Config.class);
            if (config != null) {
                return new KubeConfigFile(file, config);
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

    /**
     * Checks that a daemon can use the file.
     *
     * @return the file of the user's token, if the token is in a file
     */
    Optional<Path> check() throws IOException {
        String current = config.getCurrentContext() == null ? "" : config.getCurrentContext();
        if (current.isEmpty()) {
            throw refusal("it has no current-context", "kubectl config --kubeconfig " + file + " use-context NAME");
        }
        Context context = named(config.getContexts(), its -> current.equals(its.getName()), NamedContext::getContext)
                .orElseThrow(() -> refusal("it has no context '" + current + "'", "name one that there is"));
        String server = String.valueOf(context.getCluster());
        Cluster cluster = named(config.getClusters(), its -> server.equals(its.getName()), NamedCluster::getCluster)
                .filter(its -> isThere(its.getServer()))
                .orElseThrow(() -> refusal("it has no cluster '" + server + "' with a server", "add it"));
        if (isThere(cluster.getProxyUrl()) || isThere(cluster.getTlsServerName())) {
            throw refusal(
                    "cluster '" + server + "' has proxy-url or tls-server-name, which this daemon does not obey",
                    "name a server that can be reached without");
        }
        return isThere(context.getUser()) ? user(context.getUser()) : Optional.empty();
    }

    private Optional<Path> user(String name) throws IOException {
        AuthInfo user = named(config.getUsers(), its -> name.equals(its.getName()), NamedAuthInfo::getUser)
                .orElseThrow(() -> refusal("it has no user '" + name + "'", "add it"));
        if (user.getExec() != null || user.getAuthProvider() != null) {
            throw refusal(
                    "user '" + name + "' logs in by a program (exec or auth-provider), which no daemon waits for",
                    "give it a token, tokenFile or a client certificate");
        }
        return isThere(user.getTokenFile())
                ? Optional.of(file.toAbsolutePath().resolveSibling(user.getTokenFile()))
                : Optional.empty();
    }

    private static <N, T> Optional<T> named(@Nullable List<N> all, Predicate<N> is, Function<N, @Nullable T> what) {
        return all == null
                ? Optional.empty()
                : all.stream().filter(is).findFirst().map(what);
    }

    private IOException refusal(String why, String what) {
        return new IOException("the kubeconfig " + file + " cannot be used: " + why + "; " + what);
    }

    private static boolean isThere(@Nullable String text) {
        return text != null && !text.isEmpty();
    }
}

package io.enipam.shell.fleet;

import io.enipam.security.ClientIdentity;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.fleet.Cluster.ClusterErrors;
import io.enipam.shell.fleet.Cluster.ClusterTarget;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;

/** Where the API server is and as whom it is asked, found where kubectl finds it. */
final class Kubeconfig {
    private static final Pattern LINE = Pattern.compile("line:? (\\d{1,9})");

    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private Kubeconfig() {}

    /** The named file, else KUBECONFIG, {@code ~/.kube/config} or the pod's service account; else a usage error. */
    static Config find(ClusterTarget place, Map<String, String> environment) {
        List<Path> files = files(place, environment);
        if (!files.isEmpty()) {
            return read(files, place.context());
        }
        if (place.context().isEmpty() && environment.containsKey("KUBERNETES_SERVICE_HOST")) {
            return inCluster(environment);
        }
        throw usage(
                "there is no kubeconfig: neither --kubeconfig nor KUBECONFIG names one, and there is no ~/.kube/config",
                "Name one with --kubeconfig FILE");
    }

    private static List<Path> files(ClusterTarget place, Map<String, String> environment) {
        if (place.kubeconfig().isPresent()) {
            Path named = place.kubeconfig().get();
            if (!Files.isReadable(named) || Files.isDirectory(named)) {
                throw usage("--kubeconfig: " + named + " cannot be read", "Name a kubeconfig file");
            }
            return List.of(named);
        }
        String several = environment.getOrDefault("KUBECONFIG", "");
        if (!several.isEmpty()) {
            List<Path> there = Stream.of(several.split(File.pathSeparator))
                    .filter(name -> !name.isEmpty())
                    .map(Path::of)
                    .filter(Files::isReadable)
                    .toList();
            if (there.isEmpty()) {
                throw usage("KUBECONFIG is " + several + ", and nothing there can be read", "Correct or unset it");
            }
            return there;
        }
        return Optional.ofNullable(environment.get("HOME")).map(home -> Path.of(home, ".kube", "config")).stream()
                .filter(Files::isReadable)
                .toList();
    }

    private static Config read(List<Path> files, Optional<String> context) {
        String named = files.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        Config config = Config.empty();
        var parsed = files.stream().map(Kubeconfig::parsed).toArray(io.fabric8.kubernetes.api.model.Config[]::new);
        try {
            KubeConfigUtils.merge(config, context.orElse(null), parsed);
        } catch (RuntimeException e) {
            // neither its words nor itself: they may repeat what is in the file
            throw usage(named + " is no kubeconfig that the client understands", "Does kubectl take it?");
        }
        @Nullable NamedContext current = config.getCurrentContext();
        List<String> contexts = config.getContexts().stream()
                .map(NamedContext::getName)
                .sorted()
                .toList();
        if (context.isPresent() && !contexts.contains(context.get())) {
            String all = contexts.isEmpty() ? "It has none at all" : "It has " + String.join(", ", contexts);
            String hint = ClosestMatch.prefix(context.get(), contexts) + all;
            throw usage(named + " has no context '" + context.get() + "'", hint);
        }
        if (current == null) {
            throw usage(named + " has no current context", "Name one with --context NAME");
        }
        if (!isThere(config.getMasterUrl())) {
            String why = "the context '" + current.getName() + "' of " + named + " names no cluster with a server";
            throw usage(why, "Name another with --context NAME");
        }
        tokenFile(current.getContext().getUser(), files, parsed)
                .ifPresent(file -> config.setOauthTokenProvider(() -> token(file)));
        return config;
    }

    private static io.fabric8.kubernetes.api.model.Config parsed(Path file) {
        try {
            return KubeConfigUtils.parseConfig(file.toFile());
        } catch (RuntimeException e) {
            throw usage(file + " is no kubeconfig: " + place(e) + " cannot be understood", "Does kubectl take it?");
        }
    }

    /** A parser's words quote the line that they complain of, and a token may be in it. */
    private static String place(Throwable error) {
        for (Throwable at = error; at != null; at = at.getCause()) {
            Matcher line = LINE.matcher(String.valueOf(at.getMessage()));
            if (line.find()) {
                return "line " + line.group(1);
            }
        }
        return "what is in it";
    }

    /** Where the user's token is, if it is in a file: the client itself does not look there. */
    private static Optional<Path> tokenFile(
            @Nullable String user, List<Path> files, io.fabric8.kubernetes.api.model.Config... parsed) {
        for (int i = 0; i < parsed.length; i++) {
            Path file = files.get(i);
            Optional<NamedAuthInfo> named = Optional.ofNullable(parsed[i].getUsers()).stream()
                    .flatMap(List::stream)
                    .filter(info -> info.getName().equals(user) && info.getUser() != null)
                    .findFirst();
            if (named.isPresent()) {
                return named.map(info -> info.getUser().getTokenFile())
                        .filter(name -> !name.isEmpty())
                        .map(name -> file.toAbsolutePath().resolveSibling(name));
            }
        }
        return Optional.empty();
    }

    private static Config inCluster(Map<String, String> environment) {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        try {
            return new ConfigBuilder(Config.empty())
                    .withMasterUrl("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port)
                    .withCaCertFile(SERVICE_ACCOUNT.resolve("ca.crt").toString())
                    .withOauthTokenProvider(() -> token(SERVICE_ACCOUNT.resolve("token")))
                    .build();
        } catch (RuntimeException e) {
            throw usage("this pod's service account cannot be used: " + ClusterErrors.reason(e), "");
        }
    }

    /** Read anew each time: the kubelet writes a new one every hour or so. */
    private static String token(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("the token in " + file + " cannot be read", e);
        }
    }

    /**
     * Makes connections that show the client's certificate, its key taken out of the configuration, since of PKCS#8
     * fabric8 takes RSA alone. Throws a usage error if key or certificate cannot be read.
     */
    static JdkHttpClientFactory connections(Config config) {
        boolean certificate = isThere(config.getClientCertData()) || isThere(config.getClientCertFile());
        boolean key = isThere(config.getClientKeyData()) || isThere(config.getClientKeyFile());
        if (!certificate && !key) {
            return new JdkHttpClientFactory();
        }
        if (!certificate || !key) {
            String has = key ? "key and no certificate" : "certificate and no key";
            throw usage("the context's user has a client " + has, "Give both or none");
        }
        KeyManager identity;
        try {
            identity = ClientIdentity.of(
                    content(config.getClientCertData(), config.getClientCertFile()),
                    content(config.getClientKeyData(), config.getClientKeyFile()));
        } catch (KeyException e) {
            throw usage("the context's user cannot log in: " + e.getMessage(), "");
        } catch (IOException e) {
            throw usage("the context's user cannot log in: " + e.getMessage() + " cannot be read", "");
        }
        config.setClientKeyData(null);
        config.setClientKeyFile(null);
        return new JdkHttpClientFactory() {
            @Override
            public HttpClient.Builder newBuilder(Config of) {
                HttpClient.Builder builder = super.newBuilder(of);
                try {
                    return builder.sslContext(new KeyManager[] {identity}, SSLUtils.trustManagers(of));
                } catch (IOException | GeneralSecurityException e) {
                    throw new IllegalStateException("the cluster's authority cannot be read", e);
                }
            }
        };
    }

    private static byte[] content(@Nullable String data, @Nullable String file) throws IOException, KeyException {
        if (!isThere(data)) {
            return Files.readAllBytes(Path.of(file));
        }
        try {
            return Base64.getDecoder().decode(data.strip());
        } catch (IllegalArgumentException e) {
            throw new KeyException("the client's certificate or key data is no base64");
        }
    }

    private static boolean isThere(@Nullable String text) {
        return text != null && !text.isEmpty();
    }

    /** What the client itself cannot make use of; its words may repeat what is in the file. */
    static ShellException unusable(RuntimeException cause) {
        Throwable root = cause;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return usage(
                "the kubeconfig cannot be used: " + root.getClass().getSimpleName(),
                "Are its certificates whole, and does kubectl take it?");
    }

    private static ShellException usage(String why, String hint) {
        return new ShellException(ExitStatus.USAGE, "KUBECONFIG", why, hint);
    }
}

package io.enipam.shell.fleet;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.text.Nearest;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where the API server is and as whom it is asked, found where kubectl finds it. */
final class Kubeconfig {
    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private Kubeconfig() {}

    /**
     * The file that was named, else those of KUBECONFIG, else {@code ~/.kube/config}, else the service account of the pod.
     *
     * @throws ShellException (usage) if none of them is there, or it has no such context
     */
    static Config find(ClusterPlace place, Map<String, String> environment) {
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

    private static List<Path> files(ClusterPlace place, Map<String, String> environment) {
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
        Config config = Config.empty();
        try {
            KubeConfigUtils.merge(
                    config,
                    context.orElse(null),
                    files.stream()
                            .map(file -> KubeConfigUtils.parseConfig(file.toFile()))
                            .toArray(io.fabric8.kubernetes.api.model.Config[]::new));
        } catch (RuntimeException e) {
            throw usage(named(files) + " is no kubeconfig: " + ClusterFailures.reason(e), "");
        }
        @Nullable NamedContext current = config.getCurrentContext();
        List<String> contexts = config.getContexts().stream()
                .map(NamedContext::getName)
                .sorted()
                .toList();
        if (context.isPresent() && !contexts.contains(context.get())) {
            throw usage(
                    named(files) + " has no context '" + context.get() + "'",
                    Nearest.to(context.get(), contexts)
                                    .map(near -> "Did you mean '" + near + "'? ")
                                    .orElse("")
                            + (contexts.isEmpty() ? "It has none at all" : "It has " + String.join(", ", contexts)));
        }
        if (current == null) {
            throw usage(named(files) + " has no current context", "Name one with --context NAME");
        }
        if (config.getMasterUrl() == null || config.getMasterUrl().isEmpty()) {
            throw usage(
                    "the context '" + current.getName() + "' of " + named(files) + " names no cluster with a server",
                    "Name another with --context NAME");
        }
        return config;
    }

    private static String named(List<Path> files) {
        return String.join(
                File.pathSeparator, files.stream().map(Path::toString).toList());
    }

    private static Config inCluster(Map<String, String> environment) {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        try {
            return new ConfigBuilder(Config.empty())
                    .withMasterUrl("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port)
                    .withCaCertFile(SERVICE_ACCOUNT.resolve("ca.crt").toString())
                    .withOauthTokenProvider(Kubeconfig::token)
                    .build();
        } catch (RuntimeException e) {
            throw usage("this pod's service account cannot be used: " + ClusterFailures.reason(e), "");
        }
    }

    /** Read anew each time: the kubelet writes a new one every hour or so. */
    private static String token() {
        try {
            return Files.readString(SERVICE_ACCOUNT.resolve("token")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("this pod's service account has no token", e);
        }
    }

    private static ShellException usage(String why, String hint) {
        return new ShellException(Exit.USAGE, "KUBECONFIG", why, hint);
    }
}

package io.enipam.config.dynamic;

import io.enipam.config.RemoteConfig.Overlay;
import io.enipam.kubernetes.node.ClusterReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Asks the API server what it says of this node's configuration: one GET of the node, and where its label names a ConfigMap one of
 * that. No list and no watch: each needs rights on more than one object, and a watch on a node hears of every heartbeat. What a
 * node asks for in a minute is a third of what its kubelet renews its lease with, and the server answers from memory. Thread-safe.
 */
final class ClusterConfigClient {
    /** Terway's label. */
    static final String LABEL = "terway-config";

    private static final String SYSTEM = "kube-system";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

    private final ClusterReader cluster;
    private final String namespace;

    ClusterConfigClient(ClusterReader cluster, String namespace) {
        this.cluster = cluster;
        this.namespace = namespace;
    }

    /**
     * What the API server said when it was asked for this node's configuration.
     *
     * @param knowsNode whether there is a node of that name
     * @param named the ConfigMap that its label names: {@code kube-system/gpu-nodes}
     * @param overlay what that one says; empty if there is none of that name
     * @param services the addresses of the cluster's services; empty if that was not asked, or could not be
     */
    record ConfigReply(
            boolean knowsNode, Optional<String> named, Optional<Overlay> overlay, Optional<List<String>> services) {}

    String node() {
        return cluster.nodeName();
    }

    /**
     * The namespace of ConfigMaps: the one configured, else the daemon's own, else {@code kube-system}.
     *
     * @param environment of the process; a DaemonSet may set {@code POD_NAMESPACE} there
     * @param secrets where a service account would be mounted
     */
    static String namespace(String configured, Map<String, String> environment, Path secrets) {
        return Stream.of(configured, environment.getOrDefault("POD_NAMESPACE", ""), mounted(secrets), SYSTEM)
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElseThrow();
    }

    private static String mounted(Path secrets) {
        try {
            Path file = secrets.resolve("namespace");
            return Files.exists(file) ? Files.readString(file).strip() : "";
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Asks.
     *
     * @param whichServices whether for the service addresses, too
     * @return fails with {@link IOException} if node or ConfigMap could not be read
     */
    CompletableFuture<ConfigReply> ask(boolean whichServices) {
        CompletableFuture<Optional<List<String>>> cidrs = whichServices
                ? cluster.serviceCidrs().handle((found, error) -> Optional.ofNullable(found))
                : CompletableFuture.completedFuture(Optional.empty());
        return cluster.labels().thenCompose(labels -> {
            Optional<String> label =
                    labels.map(all -> all.getOrDefault(LABEL, "")).filter(name -> !name.isEmpty());
            Optional<String> named = label.map(name -> namespace + "/" + name);
            CompletableFuture<Optional<Map<String, String>>> map = label.filter(
                            name -> NAME.matcher(name).matches())
                    .map(name -> cluster.configMap(namespace, name))
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
            return map.thenCombine(
                    cidrs,
                    (found, told) -> new ConfigReply(
                            labels.isPresent(),
                            named,
                            found.map(data -> new Overlay(
                                    "configmap " + named.orElse(""),
                                    Optional.ofNullable(data.get(Overlay.ENI_CONF)),
                                    Optional.ofNullable(data.get(Overlay.ENIPAM_YAML)))),
                            told));
        });
    }
}

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
 * Reads this node's configuration from the API server: one GET of the node, and one GET of the ConfigMap that the
 * node's label names. It uses no list and no watch: each needs rights on more than one object, and a watch on a node
 * receives every heartbeat. The requests of a minute are a third of the kubelet's lease renewals, and the server
 * answers them from memory. Thread-safe.
 */
record ClusterConfigClient(ClusterReader cluster, String namespace) {
    /** Terway's label. */
    static final String LABEL = "terway-config";

    private static final String SYSTEM = "kube-system";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

    /**
     * The API server's answer about this node's configuration.
     *
     * @param knowsNode whether a node of that name exists
     * @param named the ConfigMap that its label names: {@code kube-system/gpu-nodes}
     * @param overlay the contents of that ConfigMap; empty if it does not exist
     * @param services the addresses of the cluster's services; empty if they were not requested, or could not be read
     */
    record ConfigReply(
            boolean knowsNode, Optional<String> named, Optional<Overlay> overlay, Optional<List<String>> services) {}

    String node() {
        return cluster.nodeName();
    }

    /**
     * The namespace of ConfigMaps: the configured one, else the daemon's own, else {@code kube-system}.
     *
     * @param environment of the process; a DaemonSet may set {@code POD_NAMESPACE} there
     * @param secrets the mount directory of a service account
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

    /** Fails with {@link IOException} if node or ConfigMap cannot be read. */
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

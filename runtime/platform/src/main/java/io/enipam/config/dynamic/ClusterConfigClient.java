package io.enipam.config.dynamic;

import io.enipam.config.Overlay;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.node.ConfigMapSnapshot;
import io.enipam.kubernetes.node.NodeLabels;
import io.enipam.kubernetes.node.ServiceCidrReader;
import io.enipam.kubernetes.node.ObjectPoller;
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
 * that. No list and no watch: each needs rights on more than one object, and a watch on a node is told of every heartbeat. What a
 * node asks for in a minute is a third of what its kubelet renews its lease with, and the server answers from memory. Thread-safe.
 */
final class ClusterConfigClient {
    /** Terway's label. */
    static final String LABEL = "terway-config";

    private static final String SYSTEM = "kube-system";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

    private final ObjectPoller sheets;
    private final ServiceCidrReader services;
    private final String node;
    private final String namespace;

    ClusterConfigClient(ApiServerClient calls, String node, String namespace) {
        this.sheets = new ObjectPoller(calls);
        this.services = new ServiceCidrReader(calls);
        this.node = node;
        this.namespace = namespace;
    }

    String node() {
        return node;
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
                ? services.fetch().handle((found, error) -> Optional.ofNullable(found))
                : CompletableFuture.completedFuture(Optional.empty());
        return sheets.node(node).thenCompose(sheet -> {
            Optional<String> label = sheet.map(NodeLabels::labels)
                    .map(labels -> labels.getOrDefault(LABEL, ""))
                    .filter(name -> !name.isEmpty());
            CompletableFuture<Optional<ConfigMapSnapshot>> map = label.filter(
                            name -> NAME.matcher(name).matches())
                    .map(name -> sheets.configMap(namespace, name))
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
            Optional<String> named = label.map(name -> namespace + "/" + name);
            return map.thenCombine(
                    cidrs,
                    (found, told) -> new ConfigReply(sheet, named, found.map(data -> overlay(named.orElse(""), data)), told));
        });
    }

    private static Overlay overlay(String named, ConfigMapSnapshot map) {
        return new Overlay(
                "configmap " + named,
                Optional.ofNullable(map.data().get(Overlay.ENI_CONF)),
                Optional.ofNullable(map.data().get(Overlay.ENIPAM_YAML)));
    }
}

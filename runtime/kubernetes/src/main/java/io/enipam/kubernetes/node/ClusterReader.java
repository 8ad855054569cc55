package io.enipam.kubernetes.node;

import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads node and network data from the API server, one request for each question. Thread-safe; stages fail with
 * {@link IOException}.
 *
 * @param node name of the node in the cluster
 */
public record ClusterReader(ApiServerClient calls, String node) {
    /** The boot ID of this machine's kernel, the same in every container of the machine. */
    public static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final String KUBEADM = "configmap kube-system/kubeadm-config";

    public String nodeName() {
        return node;
    }

    /**
     * The node object's network data, from the operators' share of requests; see
     * {@link ApiServerClient#requestInteractive}.
     *
     * @return empty if the node does not exist
     */
    public CompletableFuture<Optional<NodeNetworkInfo>> networkInfo() {
        return calls.requestInteractive(
                "GET node " + node, client -> get(client).map(NodeNetworkInfo::of));
    }

    /**
     * The CIDR that the cluster assigned to the node.
     *
     * @return also fails with {@link FactoryException} if the answer cannot be used; its message says what to do
     */
    public CompletableFuture<NodeCidr> podCidr() {
        return calls.request("GET node " + node, this::get)
                .thenApply(found -> podCidr(found.orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE,
                        "there is no node " + node + " in the cluster; set node.name to its name there"))));
    }

    private NodeCidr podCidr(Node found) {
        Optional<NodeSpec> spec = Optional.ofNullable(found.getSpec());
        List<String> texts = spec
                .map(NodeSpec::getPodCIDRs)
                .filter(cidrs -> !cidrs.isEmpty())
                .or(() -> spec.map(NodeSpec::getPodCIDR).map(List::of))
                .stream()
                .flatMap(List::stream)
                .filter(text -> !text.isEmpty())
                .toList();
        if (texts.isEmpty()) {
            throw new FactoryException(
                    ErrorKind.UNAVAILABLE,
                    "node " + node + " has no pod CIDR yet: the cluster's controller manager gives it one"
                            + " (--allocate-node-cidrs)");
        }
        Optional<String> ipv4 =
                texts.stream().filter(text -> !text.contains(":")).findFirst();
        try {
            return NodeCidr.parse(ipv4.orElseThrow(
                    () -> new IllegalArgumentException("there is no IPv4 one among " + String.join(", ", texts))));
        } catch (IllegalArgumentException e) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED, "the pod CIDR of node " + node + " cannot be used: " + e.getMessage());
        }
    }

    /**
     * Verifies that the API server's node of this name is this machine: the node exists, and its kubelet has reported
     * the boot ID of this machine's kernel, which is unique. With a wrong name, or the kubeconfig of another cluster,
     * the daemon would consider all pods gone.
     *
     * @param bootId file with the boot ID; if it cannot be read, the name alone is checked
     * @return fails with the error and its remedy
     * @see <a href="https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html">proc_sys_kernel(5), random/boot_id</a>
     */
    public CompletableFuture<Void> verifyIdentity(Path bootId) {
        return calls.request("GET node " + node, this::get)
                .thenCompose(found -> mismatch(found, bootId)
                        .<CompletableFuture<Void>>map(why -> CompletableFuture.failedFuture(new IOException(why)))
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    private Optional<String> mismatch(Optional<Node> found, Path bootId) {
        if (found.isEmpty()) {
            return Optional.of("the API server has no node '" + node
                    + "': set node.name, or NODE_NAME, to the name that this node has in the cluster");
        }
        String reported = Optional.ofNullable(found.get().getStatus())
                .flatMap(status -> Optional.ofNullable(status.getNodeInfo()))
                .flatMap(info -> Optional.ofNullable(info.getBootID()))
                .map(String::strip)
                .orElse("");
        String ours = read(bootId);
        return reported.isEmpty() || ours.isEmpty() || reported.equalsIgnoreCase(ours)
                ? Optional.empty()
                : Optional.of("node '" + node + "' of the cluster is another machine, with boot ID " + reported
                        + " and not " + ours
                        + ": see node.name and the kubeconfig; after a reboot the kubelet has to start first");
    }

    private static String read(Path bootId) {
        try {
            return Files.readString(bootId).strip();
        } catch (IOException e) {
            // a kernel without /proc: nothing to compare
            return "";
        }
    }

    /**
     * The labels of the node, possibly from the server's cache: the caller asks every minute, and ten thousand nodes
     * should not load the cluster's database.
     *
     * @return empty if the node does not exist
     * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions">resourceVersion=0</a>
     */
    public CompletableFuture<Optional<Map<String, String>>> labels() {
        return cached("GET node " + node, "/api/v1/nodes/" + node, Node.class)
                .thenApply(found -> found.map(its -> orEmpty(its.getMetadata().getLabels())));
    }

    /**
     * The texts of a ConfigMap by key, also from the server's cache.
     *
     * @return empty if the ConfigMap does not exist
     */
    public CompletableFuture<Optional<Map<String, String>>> configMap(String namespace, String name) {
        String path = "/api/v1/namespaces/" + namespace + "/configmaps/" + name;
        return cached("GET configmap " + namespace + "/" + name, path, ConfigMap.class)
                .thenApply(found -> found.map(its -> orEmpty(its.getData())));
    }

    private <T> CompletableFuture<Optional<T>> cached(String what, String path, Class<T> type) {
        return calls.request(what, client -> {
            try {
                return Optional.ofNullable(client.raw(path + "?resourceVersion=0"))
                        .map(text -> Serialization.unmarshal(text, type));
            } catch (KubernetesClientException e) {
                if (e.getCode() == HTTP_NOT_FOUND) {
                    return Optional.empty();
                }
                throw e;
            }
        });
    }

    private static Map<String, String> orEmpty(Map<String, String> texts) {
        return texts == null ? Map.of() : Map.copyOf(texts);
    }

    /**
     * The addresses of the cluster's services, from kubeadm's configuration.
     *
     * @return CIDRs, one for each family; empty if kubeadm did not make this cluster
     * @see <a href="https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/">kubeadm's ClusterConfiguration</a>
     */
    public CompletableFuture<List<String>> serviceCidrs() {
        return calls.request("GET " + KUBEADM, client -> {
            ConfigMap map = client.configMaps()
                    .inNamespace("kube-system")
                    .withName("kubeadm-config")
                    .get();
            return map == null || map.getData() == null ? List.<String>of() : serviceCidrs(map.getData());
        });
    }

    private static List<String> serviceCidrs(Map<String, String> data) {
        String text = data.get("ClusterConfiguration");
        Object networking =
                text == null ? null : Serialization.unmarshal(text, Map.class).get("networking");
        Object subnets = networking instanceof Map<?, ?> map ? map.get("serviceSubnet") : null;
        return subnets instanceof String list
                ? Stream.of(list.split(","))
                        .map(String::strip)
                        .filter(cidr -> !cidr.isEmpty())
                        .toList()
                : List.of();
    }

    private Optional<Node> get(KubernetesClient client) {
        return Optional.ofNullable(client.nodes().withName(node).get());
    }

    /**
     * The node object's network data. Only our own and terway's labels and annotations: others may contain anything.
     *
     * @param facts name and value of each, in the order in which they are shown
     */
    public record NodeNetworkInfo(Map<String, String> facts) {
        private static final List<String> OURS = List.of("k8s.aliyun.com/", "enipam.io/", "topology.kubernetes.io/");
        private static final List<String> LABELS = List.of("terway-config", "node.kubernetes.io/instance-type");

        public NodeNetworkInfo {
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }

        static NodeNetworkInfo of(Node node) {
            Map<String, String> facts = new LinkedHashMap<>();
            put(facts, "name", node.getMetadata().getName());
            put(facts, "uid", node.getMetadata().getUid());
            put(facts, "created", node.getMetadata().getCreationTimestamp());
            put(facts, "deleting", node.getMetadata().getDeletionTimestamp());
            some(facts, "label ", node.getMetadata().getLabels());
            some(facts, "annotation ", node.getMetadata().getAnnotations());
            if (node.getSpec() != null) {
                put(facts, "provider", node.getSpec().getProviderID());
                put(facts, "pod CIDRs", String.join(",", node.getSpec().getPodCIDRs()));
                put(facts, "unschedulable", node.getSpec().getUnschedulable());
            }
            if (node.getStatus() != null) {
                NodeStatus status = node.getStatus();
                put(
                        facts,
                        "addresses",
                        joined(",", status.getAddresses().stream().map(NodeAddress::getAddress)));
                for (NodeCondition its : status.getConditions()) {
                    Stream<String> texts = Stream.of(its.getStatus(), its.getReason(), its.getLastTransitionTime());
                    put(facts, "condition " + its.getType(), joined(", ", texts));
                }
                Map<String, Quantity> allocatable =
                        status.getAllocatable() == null ? Map.of() : status.getAllocatable();
                allocatable.forEach((name, amount) -> {
                    if (name.equals("pods") || name.startsWith("aliyun/")) {
                        put(facts, "allocatable " + name, amount);
                    }
                });
                if (status.getNodeInfo() != null) {
                    put(facts, "kubelet", status.getNodeInfo().getKubeletVersion());
                    put(facts, "runtime", status.getNodeInfo().getContainerRuntimeVersion());
                    put(facts, "kernel", status.getNodeInfo().getKernelVersion());
                }
            }
            return new NodeNetworkInfo(facts);
        }

        private static String joined(String separator, Stream<String> texts) {
            return texts.filter(Objects::nonNull).collect(Collectors.joining(separator));
        }

        private static void some(Map<String, String> facts, String prefix, Map<String, String> all) {
            if (all != null) {
                all.forEach((key, value) -> {
                    if (LABELS.contains(key) || OURS.stream().anyMatch(key::startsWith)) {
                        put(facts, prefix + key, value);
                    }
                });
            }
        }

        private static void put(Map<String, String> facts, String name, Object value) {
            if (value != null && !value.toString().isEmpty()) {
                facts.put(name, value.toString());
            }
        }
    }
}

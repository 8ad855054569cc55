package io.enipam.kubernetes.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
            put(
                    facts,
                    "addresses",
                    node.getStatus().getAddresses().stream()
                            .map(NodeAddress::getAddress)
                            .collect(Collectors.joining(",")));
            node.getStatus()
                    .getConditions()
                    .forEach(condition -> put(facts, "condition " + condition.getType(), words(condition)));
            quantities(node.getStatus().getAllocatable())
                    .forEach(entry -> put(facts, entry.getKey(), entry.getValue()));
            if (node.getStatus().getNodeInfo() != null) {
                put(facts, "kubelet", node.getStatus().getNodeInfo().getKubeletVersion());
                put(facts, "runtime", node.getStatus().getNodeInfo().getContainerRuntimeVersion());
                put(facts, "kernel", node.getStatus().getNodeInfo().getKernelVersion());
            }
        }
        return new NodeNetworkInfo(facts);
    }

    private static String words(NodeCondition condition) {
        return Stream.of(condition.getStatus(), condition.getReason(), condition.getLastTransitionTime())
                .filter(Objects::nonNull)
                .collect(Collectors.joining(", "));
    }

    private static Stream<Map.Entry<String, Quantity>> quantities(Map<String, Quantity> all) {
        return all == null
                ? Stream.empty()
                : all.entrySet().stream()
                        .filter(entry ->
                                entry.getKey().equals("pods") || entry.getKey().startsWith("aliyun/"))
                        .map(entry -> Map.entry("allocatable " + entry.getKey(), entry.getValue()));
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

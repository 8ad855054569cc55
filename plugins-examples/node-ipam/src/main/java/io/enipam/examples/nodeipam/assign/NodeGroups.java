package io.enipam.examples.nodeipam.assign;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.cluster.ClusterObject;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Nodes in groups by the value of a label, and what else has blocks. Immutable.
 *
 * @param label by which the groups are made; empty text where all nodes are one group
 * @param byNode the group of each node that exists
 */
public record NodeGroups(String label, Map<String, String> byNode) {
    /** The node pool that a node of ACK is of. */
    public static final String NODE_POOL = "alibabacloud.com/nodepool-id";

    /** Of a node that does not exist any more, or not yet. */
    public static final String GONE = "(no node)";

    public static final String SERVICES = "(services)";

    /** An event has a thousand characters. */
    private static final int MOST_TOLD = 5;

    private static final String ALL = "nodes";
    private static final String WITHOUT = "(no label)";

    public NodeGroups {
        byNode = Map.copyOf(byNode);
    }

    /** @param label empty text for the node pools, where some node is of one, and else for one group */
    public static NodeGroups of(Collection<ClusterObject> nodes, String label) {
        boolean pools =
                label.isEmpty() && nodes.stream().anyMatch(node -> node.labels().containsKey(NODE_POOL));
        String by = pools ? NODE_POOL : label;
        Map<String, String> byNode = new HashMap<>();
        for (ClusterObject node : nodes) {
            String value = node.labels().getOrDefault(by, "");
            byNode.put(node.name(), by.isEmpty() ? ALL : value.isEmpty() ? WITHOUT : value);
        }
        return new NodeGroups(by, byNode);
    }

    public String of(Owner owner) {
        return owner.kind() == Owner.Kind.SERVICES ? SERVICES : byNode.getOrDefault(owner.name(), GONE);
    }

    /**
     * Which groups have most of a range, for an event: {@code ; np-a has 30 of 10.0.0.0/22, np-b 2}. Empty text where all nodes are one
     * group.
     */
    String shares(BlockRange range, Blocks blocks) {
        if (label.isEmpty()) {
            return "";
        }
        Map<String, Integer> shares = new TreeMap<>();
        for (Blocks.Holding holding : blocks.overlapping(range.cidr())) {
            if (holding.owner().kind() == Owner.Kind.NODE) {
                shares.merge(of(holding.owner()), range.touched(holding.cidr()), Integer::sum);
            }
        }
        List<Map.Entry<String, Integer>> most = shares.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(MOST_TOLD)
                .toList();
        return most.stream()
                .map(group -> group.getKey()
                        + (group == most.get(0) ? " has " : " ")
                        + group.getValue()
                        + (group == most.get(0) ? " of " + range.cidr() : ""))
                .collect(
                        Collectors.joining(", ", most.isEmpty() ? "" : "; ", shares.size() > MOST_TOLD ? ", ..." : ""));
    }
}

package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.cluster.ClusterObject;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Nodes in groups by the value of a label, and what else has blocks. Immutable.
 *
 * @param label by which the groups are made; empty text where all nodes are one group
 * @param byNode the group of each node that exists
 */
record NodeGroups(String label, Map<String, String> byNode) {
    /** The node pool that a node of ACK is of. */
    static final String NODE_POOL = "alibabacloud.com/nodepool-id";

    /** Of a node that does not exist any more, or not yet. */
    static final String GONE = "(no node)";

    static final String SERVICES = "(services)";

    private static final String ALL = "nodes";
    private static final String WITHOUT = "(no label)";

    NodeGroups {
        byNode = Map.copyOf(byNode);
    }

    /** @param label empty text for the node pools, where some node is of one, and else for one group */
    static NodeGroups of(Collection<ClusterObject> nodes, String label) {
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

    String of(Owner owner) {
        return owner.kind() == Owner.Kind.SERVICES ? SERVICES : byNode.getOrDefault(owner.name(), GONE);
    }
}

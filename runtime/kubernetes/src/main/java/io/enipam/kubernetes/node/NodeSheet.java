package io.enipam.kubernetes.node;

import java.util.List;
import java.util.Map;

/**
 * What the API server says of this node, as far as the daemon goes by it.
 *
 * @param labels by name
 * @param podCidrs the addresses of its pods where the cluster gives each node some, one for each family; else empty
 */
public record NodeSheet(Map<String, String> labels, List<String> podCidrs) {
    public NodeSheet {
        labels = Map.copyOf(labels);
        podCidrs = List.copyOf(podCidrs);
    }
}

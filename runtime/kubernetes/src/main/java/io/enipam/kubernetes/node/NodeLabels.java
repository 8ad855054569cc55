package io.enipam.kubernetes.node;

import java.util.Map;

/**
 * What the API server says of this node, as far as the daemon goes by it.
 *
 * @param labels by name
 */
public record NodeLabels(Map<String, String> labels) {
    public NodeLabels {
        labels = Map.copyOf(labels);
    }
}

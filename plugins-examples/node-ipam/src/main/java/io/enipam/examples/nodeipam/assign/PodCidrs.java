package io.enipam.examples.nodeipam.assign;

import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code spec.podCIDRs} of a node. They are written once: the API server refuses another value.
 *
 * @param written as they are, also {@code spec.podCIDR} alone, as nodes of old have it
 * @param blocks those that can be read, without host bits
 * @param problem what cannot be read
 */
public record PodCidrs(List<String> written, List<Subnet> blocks, Optional<String> problem) {
    public PodCidrs {
        written = List.copyOf(written);
        blocks = List.copyOf(blocks);
    }

    public static PodCidrs of(ClusterObject node) {
        List<String> several = node.texts("spec", "podCIDRs");
        String one = node.text("spec", "podCIDR");
        List<String> written = !several.isEmpty() ? several : one.isEmpty() ? List.of() : List.of(one);
        List<Subnet> blocks = new ArrayList<>();
        Optional<String> problem = Optional.empty();
        for (String text : written) {
            try {
                blocks.add(Subnet.parse(text).network());
            } catch (IllegalArgumentException e) {
                problem = Optional.of("failed to parse node " + node.name() + ", CIDR " + text);
            }
        }
        return new PodCidrs(written, blocks, problem);
    }

    /** Whether the node has none. */
    public boolean isEmpty() {
        return written.isEmpty();
    }

    /** Gives a node its blocks, if it is still the same node. */
    static Patch patch(ClusterObject node, List<Subnet> blocks) {
        List<String> texts = blocks.stream().map(Subnet::toString).toList();
        return Patch.strategic(Map.of("spec", Map.of("podCIDR", texts.get(0), "podCIDRs", texts)))
                .ifSame(node);
    }
}

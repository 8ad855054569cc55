package io.enipam.examples.nodeipam.cloud;

import io.enipam.examples.nodeipam.assign.NodeAllocator;
import io.enipam.examples.nodeipam.assign.NodeEvents.Reason;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.examples.nodeipam.config.Options.Type;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node without {@code podCIDRs} gets where a cloud has a say: its alias, or, with {@code IPAMFromCluster}, a block of the cluster
 * CIDRs that has yet to become one. Thread-safe.
 */
public final class CloudAllocator implements NodeAllocator {
    private final Type type;
    private final Aliases aliases;
    private final Blocks blocks;
    private final Led led;
    private final Optional<NodeAllocator> ranges;

    /**
     * @param type one of the cloud's
     * @param ranges gives and notes blocks of the cluster CIDRs, if there are any
     */
    public CloudAllocator(Type type, Aliases aliases, Blocks blocks, Led led, Optional<NodeAllocator> ranges) {
        this.type = type;
        this.aliases = aliases;
        this.blocks = blocks;
        this.led = led;
        this.ranges = ranges;
    }

    @Override
    public Proposal propose(ClusterObject node) {
        Optional<String> instance = aliases.instance(node);
        if (instance.isEmpty()) {
            return new Proposal.Unavailable(noInstance(node));
        }
        List<Subnet> known = aliases.of(instance.get());
        if (type == Type.FROM_CLUSTER) {
            return known.isEmpty()
                    ? ranges.orElseThrow().propose(node)
                    : invalid(node, "has alias " + known + " already");
        }
        if (known.isEmpty()) {
            aliases.ask();
            return type == Type.CLOUD
                    ? new Proposal.Unavailable("the cloud leads nothing to " + instance.get())
                    : invalid(node, "has no alias at " + instance.get());
        }
        List<Subnet> first = known.subList(0, 1);
        blocks.hold(Owner.node(node.name()), first);
        return new Proposal.Blocks(first);
    }

    static String noInstance(ClusterObject node) {
        String id = node.text("spec", "providerID");
        return "node " + node.name()
                + (id.isEmpty() ? " doesn't have providerID" : " has a providerID of another cloud: " + id);
    }

    private Proposal invalid(ClusterObject node, String what) {
        return new Proposal.Unavailable(
                "node " + node.name() + " has no podCIDR and " + what + ", which " + type + " does not change",
                List.of(),
                Reason.INVALID_MODE);
    }

    @Override
    public Optional<String> occupy(ClusterObject node, List<Subnet> cidrs) {
        if (ranges.isPresent()) {
            return ranges.get().occupy(node, cidrs);
        }
        blocks.hold(Owner.node(node.name()), cidrs);
        return Optional.empty();
    }

    @Override
    public Map<String, List<BlockRange>> pools() {
        return ranges.map(NodeAllocator::pools).orElse(Map.of());
    }

    @Override
    public boolean release(String node) {
        return led.release(node);
    }
}

package io.enipam.examples.nodeipam.assign;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Blocks.Allocation;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Kubernetes' RangeAllocator: each node gets one block of each cluster CIDR. Thread-safe. */
public final class RangeAllocator implements NodeAllocator {
    /** The pool of the cluster CIDRs. */
    public static final String POOL = "cluster-cidr";

    private final Blocks blocks;
    private final List<BlockRange> ranges;

    /**
     * @param blocks in which the services hold theirs already
     * @param ranges in the order of {@code spec.podCIDRs}; become a pool
     */
    public RangeAllocator(Blocks blocks, List<BlockRange> ranges) {
        this.blocks = blocks;
        this.ranges = List.copyOf(ranges);
        blocks.add(POOL, ranges);
    }

    @Override
    public Proposal propose(ClusterObject node) {
        Owner owner = Owner.node(node.name());
        List<Subnet> held = blocks.heldBy(owner);
        if (!held.isEmpty()) {
            return new Proposal.Blocks(held);
        }
        Allocation allocation = blocks.allocate(owner, POOL);
        if (allocation instanceof Allocation.Granted granted) {
            return new Proposal.Blocks(granted.blocks());
        }
        BlockRange full = ((Allocation.Exhausted) allocation).range();
        return new Proposal.Unavailable(full(full), full);
    }

    private String full(BlockRange range) {
        return "failed to allocate cidr from cluster cidr at idx:" + ranges.indexOf(range)
                + ": CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range: of the "
                + range.size() + " blocks of " + range + " " + blocks.sharers(range);
    }

    @Override
    public Optional<String> occupy(ClusterObject node, List<Subnet> cidrs) {
        blocks.hold(Owner.node(node.name()), cidrs);
        for (int index = 0; index < cidrs.size(); index++) {
            Subnet cidr = cidrs.get(index);
            if (index >= ranges.size()) {
                return Optional.of("node:" + node.name() + " has an allocated cidr: " + cidr + " at index:" + index
                        + " that does not exist in cluster cidrs configuration");
            }
            if (!ranges.get(index).overlaps(cidr)) {
                return Optional.of("failed to mark cidr[" + cidr + "] at idx [" + index + "] as occupied for node: "
                        + node.name() + ": cidr " + cidr + " is out the range of cluster cidr "
                        + ranges.get(index).cidr());
            }
        }
        return Optional.empty();
    }

    @Override
    public boolean release(String node) {
        return blocks.release(Owner.node(node));
    }

    @Override
    public Map<String, List<BlockRange>> pools() {
        return Map.of(
                POOL,
                ranges.stream()
                        .map(range -> new BlockRange(range.cidr(), range.blockLength()))
                        .toList());
    }

    /** As Kubernetes has it: a wrong cluster CIDR is found out before a block is given. */
    @Override
    public boolean strict() {
        return true;
    }
}

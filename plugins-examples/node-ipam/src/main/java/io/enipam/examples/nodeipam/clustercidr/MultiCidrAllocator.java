package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.examples.nodeipam.assign.NodeAllocator;
import io.enipam.examples.nodeipam.assign.RangeObjects;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Blocks.Allocation;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Host;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Gives a node blocks of the {@code ClusterCIDR} that it prefers and that has some free: of all families, or none. A block that
 * overlaps with what a node or the services have, by whichever {@code ClusterCIDR}, is not free.
 */
public final class MultiCidrAllocator implements NodeAllocator {
    private final Blocks blocks;
    private final ClusterCidrs all;
    private final RangeObjects objects;

    /**
     * @param blocks in which the services hold theirs already
     * @param nodes and {@code clusterCidrs} (of {@link ClusterCidr#KIND}) are closed by the caller
     * @param usual {@link ClusterCidr#ofSetting}; empty for none
     * @param wake is called when a node that got nothing may get something now
     */
    public MultiCidrAllocator(
            Host host,
            Cluster cluster,
            Blocks blocks,
            Informer nodes,
            Informer clusterCidrs,
            Optional<ClusterObject> usual,
            Runnable wake) {
        this.blocks = blocks;
        this.all = new ClusterCidrs(blocks, clusterCidrs, nodes, host.journal(), usual, wake);
        this.objects = new ClusterCidrReconciler(all, cluster, clusterCidrs, host.clock());
    }

    @Override
    public Optional<RangeObjects> objects() {
        return Optional.of(objects);
    }

    /** What there is to be seen of the objects. */
    public ClusterCidrs clusterCidrs() {
        return all;
    }

    @Override
    public Proposal propose(ClusterObject node) {
        Owner owner = Owner.node(node.name());
        List<BlockRange> full = new ArrayList<>();
        List<String> why = new ArrayList<>();
        List<Subnet> given;
        // by its lock no object is deleted, and nothing taken, between the choice and the taking
        synchronized (all) {
            given = blocks.heldBy(owner);
            if (!given.isEmpty()) {
                return new Proposal.Blocks(given);
            }
            for (ClusterCidr each : Preference.of(node, all.serving())) {
                Allocation allocation = blocks.allocate(owner, each.name());
                if (allocation instanceof Allocation.Granted granted) {
                    given = granted.blocks();
                    break;
                }
                BlockRange range = ((Allocation.Exhausted) allocation).range();
                full.add(range);
                why.add(full(each, range));
            }
        }
        if (given.isEmpty()) {
            return new Proposal.Unavailable(
                    full.isEmpty() ? none(node) : String.join("; ", why), full.toArray(BlockRange[]::new));
        }
        all.tellOf(given);
        return new Proposal.Blocks(given);
    }

    private String none(ClusterObject node) {
        int others = all.serving().size();
        return others == 0
                ? "there is no ClusterCIDR from which nodes get blocks"
                : "none of the " + others + " ClusterCIDRs is for a node with the labels of " + node.name();
    }

    private String full(ClusterCidr of, BlockRange range) {
        String sharing = all.inForce().stream()
                .filter(each -> !each.name().equals(of.name()) && each.cidrs().anyMatch(range::overlaps))
                .map(ClusterCidr::name)
                .collect(Collectors.joining(", "));
        return "ClusterCIDR " + of.name() + ": " + range + " is full: of its " + range.size() + " blocks "
                + blocks.sharers(range)
                + (sharing.isEmpty() ? "" : " (its addresses are also those of " + sharing + ")");
    }

    @Override
    public Optional<String> occupy(ClusterObject node, List<Subnet> cidrs) {
        Owner owner = Owner.node(node.name());
        List<Subnet> touched = new ArrayList<>(cidrs);
        List<String> problems = new ArrayList<>();
        synchronized (all) {
            touched.addAll(blocks.heldBy(owner));
            if (!blocks.hold(owner, cidrs)) {
                touched.clear();
            }
            for (Subnet cidr : cidrs) {
                blocks.overlapping(cidr).stream()
                        .filter(other -> !other.owner().equals(owner))
                        .map(other -> cidr + " overlaps with " + other.cidr() + " of " + other.owner())
                        .forEach(problems::add);
            }
            if (!cidrs.isEmpty() && all.of(node.name()).isEmpty()) {
                problems.add(cidrs.stream()
                        .map(Subnet::toString)
                        .collect(Collectors.joining(
                                " ", "could not occupy cidrs: [", "], No matching ClusterCIDRs found")));
            }
        }
        all.tellOf(touched);
        return problems.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", problems));
    }

    @Override
    public Map<String, List<BlockRange>> pools() {
        return all.pools();
    }

    @Override
    public boolean release(String node) {
        Owner owner = Owner.node(node);
        List<Subnet> held;
        synchronized (all) {
            held = blocks.heldBy(owner);
            blocks.release(owner);
        }
        all.tellOf(held);
        return !held.isEmpty();
    }
}

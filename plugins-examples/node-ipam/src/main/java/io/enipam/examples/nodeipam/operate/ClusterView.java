package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Subnet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Nodes, ranges and blocks at one moment, computed from what the API server and the table say, and not from what the controller has in
 * memory: it is the same on each replica, and a fault of the controller's shows. Immutable, but for what its {@code blocks} allow.
 *
 * @param nodes by name
 * @param underWay what the table has of nodes without blocks; of a replica with tables of its own, what it knows itself
 * @param strict whether no node gets a block while one has addresses outside of all ranges
 * @param problem why the nodes may be old, empty text if they are not
 */
record ClusterView(
        Blocks blocks,
        List<Subnet> services,
        NavigableMap<String, ClusterObject> nodes,
        Map<String, UnderWay> underWay,
        boolean strict,
        String problem,
        Instant at) {

    /**
     * Computes it.
     *
     * @param pools ranges by the pool's name, with nothing taken; in the order in which they are shown
     */
    static ClusterView of(
            Map<String, List<BlockRange>> pools,
            List<Subnet> services,
            Collection<ClusterObject> nodes,
            Map<String, UnderWay> underWay,
            boolean strict,
            String problem,
            Instant at) {
        Blocks blocks = new Blocks();
        services.forEach(cidr -> blocks.hold(Owner.services(cidr.toString()), List.of(cidr)));
        pools.forEach(blocks::add);
        NavigableMap<String, ClusterObject> byName = new TreeMap<>();
        for (ClusterObject node : nodes) {
            byName.put(node.name(), node);
            blocks.hold(Owner.node(node.name()), PodCidrs.of(node).blocks());
        }
        underWay.forEach((name, row) -> {
            ClusterObject node = byName.get(name);
            boolean has = node != null && !PodCidrs.of(node).isEmpty();
            if (row instanceof UnderWay.Assigning assigning && !has) {
                blocks.hold(Owner.node(name), assigning.blocks());
            }
        });
        return new ClusterView(blocks, services, byName, underWay, strict, problem, at);
    }

    NodeGroups groups(String label) {
        return NodeGroups.of(nodes.values(), label);
    }

    Growth growth() {
        return Growth.of(
                nodes.values().stream()
                        .map(ClusterObject::creation)
                        .flatMap(Optional::stream)
                        .toList(),
                at);
    }

    /** The pools and ranges that some addresses are in, or that are in them: {@code cluster-cidr 10.0.0.0/16 in blocks of /24}. */
    List<String> around(Subnet cidr) {
        List<String> found = new ArrayList<>();
        for (String pool : blocks.pools()) {
            blocks.read(
                            pool,
                            ranges -> ranges.stream()
                                    .filter(range -> overlaps(range, cidr))
                                    .map(range -> pool + " " + range)
                                    .toList())
                    .ifPresent(found::addAll);
        }
        return found;
    }

    private static boolean overlaps(BlockRange range, Subnet cidr) {
        return range.family() == cidr.address().family() && range.overlaps(cidr);
    }

    /** Who else has some of the addresses that an owner has. */
    List<Blocks.Holding> others(Owner owner, Subnet cidr) {
        return blocks.overlapping(cidr).stream()
                .filter(holding -> !holding.owner().equals(owner))
                .toList();
    }

    /** How a node stands, in one line: what it has, or why it has nothing. */
    String state(String name) {
        ClusterObject node = nodes.get(name);
        UnderWay row = underWay.get(name);
        if (node != null && !PodCidrs.of(node).isEmpty()) {
            return "has its blocks";
        }
        if (row instanceof UnderWay.Waiting waiting) {
            return "waits: " + waiting.text();
        }
        if (row instanceof UnderWay.Assigning assigning) {
            return (node == null ? "is gone, and held " : "is about to get ")
                    + shown(assigning.blocks())
                    + (assigning.unsure() ? "; whether they were written is not known yet" : "");
        }
        if (row instanceof UnderWay.Failed failed) {
            return "has nothing: the API server refused its blocks, " + failed.failures() + " times; it is tried again";
        }
        return node == null ? "does not exist" : "has nothing yet";
    }

    static String shown(List<Subnet> cidrs) {
        return cidrs.isEmpty()
                ? "-"
                : String.join(",", cidrs.stream().map(Subnet::toString).toList());
    }
}

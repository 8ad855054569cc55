package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Family;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What becomes of the CIDRs that nodes have where a cluster changes over to this controller, and what the controller manager needs. */
final class Takeover {
    private static final String MANAGER = "(controller manager)";
    private static final String BACK = "to go back: ";

    private Takeover() {}

    /**
     * A row for each node, and before these one for each problem of one.
     *
     * @param pools the ranges and block lengths of the setting; none where ClusterCIDRs alone say them
     */
    static DiagnosticTable table(ClusterView view, List<RangeUse> pools) {
        List<List<String>> wrong = new ArrayList<>();
        List<List<String>> right = new ArrayList<>();
        for (ClusterObject node : view.nodes().values()) {
            PodCidrs has = PodCidrs.of(node);
            String cidrs = has.isEmpty() ? "-" : String.join(",", has.written());
            List<String> problems = problems(view, node, has);
            problems.forEach(problem -> wrong.add(List.of(node.name(), cidrs, problem)));
            if (problems.isEmpty()) {
                right.add(List.of(node.name(), cidrs, has.isEmpty() ? "has none: gets some" : "taken over as it is"));
            }
        }
        List<List<String>> rows = new ArrayList<>(wrong);
        manager(pools, view.services()).forEach(text -> rows.add(List.of(MANAGER, "-", text)));
        rows.addAll(right);
        return new DiagnosticTable(List.of("NODE", "CIDRS", "RESULT"), rows);
    }

    private static List<String> problems(ClusterView view, ClusterObject node, PodCidrs has) {
        List<String> problems = new ArrayList<>(has.problem().stream().toList());
        Owner owner = Owner.node(node.name());
        for (Subnet cidr : has.blocks()) {
            if (view.around(cidr).isEmpty()) {
                problems.add("in no range" + (view.strict() ? ": no node gets a block while that is so" : ""));
            }
            view.others(owner, cidr)
                    .forEach(other -> problems.add("overlaps " + other.cidr() + " of " + other.owner()));
        }
        return problems;
    }

    /** Its flags while this controller is at work, and those by which it goes on in its place, one a row: a table cuts long cells. */
    private static List<String> manager(List<RangeUse> pools, List<Subnet> services) {
        List<String> flags = new ArrayList<>(List.of("to change over: --allocate-node-cidrs=false"));
        if (pools.isEmpty() || pools.size() > 2) {
            return flags;
        }
        flags.add(BACK + "--allocate-node-cidrs=true");
        flags.add(BACK + "--cluster-cidr="
                + pools.stream().map(pool -> pool.range().toString()).collect(Collectors.joining(",")));
        for (RangeUse pool : pools) {
            String family = pool.range().address().family() == Family.IPV4 ? "ipv4" : "ipv6";
            flags.add(
                    BACK + "--node-cidr-mask-size" + (pools.size() > 1 ? "-" + family : "") + "=" + pool.blockLength());
        }
        if (!services.isEmpty()) {
            flags.add(BACK + "--service-cluster-ip-range=" + ClusterView.shown(services));
        }
        return flags;
    }
}

package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.blocks.Blocks.Holding;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Family;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What becomes of the CIDRs that nodes have where a cluster changes over to this controller, and what the controller manager needs. */
final class Takeover {
    private static final String MANAGER = "(controller manager)";

    private Takeover() {}

    /**
     * A row for each node, those with a problem first.
     *
     * @param pools the ranges and block lengths of the setting; none where ClusterCIDRs alone say them
     */
    static DiagnosticTable table(ClusterView view, List<RangeUse> pools) {
        List<List<String>> wrong = new ArrayList<>();
        List<List<String>> right = new ArrayList<>();
        for (ClusterObject node : view.nodes().values()) {
            PodCidrs has = PodCidrs.of(node);
            List<String> problems = problems(view, node, has);
            String result = !problems.isEmpty()
                    ? String.join("; ", problems)
                    : has.isEmpty() ? "has none: gets some" : "taken over as it is";
            (problems.isEmpty() ? right : wrong)
                    .add(List.of(node.name(), has.isEmpty() ? "-" : String.join(",", has.written()), result));
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
                problems.add(cidr + " is outside of all ranges"
                        + (view.strict() ? ": no node gets a block while that is so" : ", and stays as it is"));
            }
            List<Holding> others = view.others(owner, cidr);
            if (!others.isEmpty()) {
                problems.add(cidr + " overlaps "
                        + others.stream()
                                .map(other -> other.cidr() + " of " + other.owner())
                                .collect(Collectors.joining(", ")));
            }
        }
        return problems;
    }

    /** Its flags while this controller is at work, and those by which it goes on in its place. */
    private static List<String> manager(List<RangeUse> pools, List<Subnet> services) {
        List<String> flags = new ArrayList<>();
        flags.add("--allocate-node-cidrs=true");
        flags.add("--cluster-cidr="
                + pools.stream().map(pool -> pool.range().toString()).collect(Collectors.joining(",")));
        for (RangeUse pool : pools) {
            String family = pool.range().address().family() == Family.IPV4 ? "ipv4" : "ipv6";
            flags.add("--node-cidr-mask-size" + (pools.size() > 1 ? "-" + family : "") + "=" + pool.blockLength());
        }
        if (!services.isEmpty()) {
            flags.add("--service-cluster-ip-range=" + ClusterView.shown(services));
        }
        Optional<String> back = pools.isEmpty() || pools.size() > 2
                ? Optional.empty()
                : Optional.of("to go back: " + String.join(" ", flags));
        List<String> texts = new ArrayList<>(List.of("to change over: --allocate-node-cidrs=false"));
        back.ifPresent(texts::add);
        return texts;
    }
}

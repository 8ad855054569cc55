package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.examples.nodeipam.blocks.Blocks.Holding;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Check;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Finding.Severity;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.ranges.Subnet;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What {@code doctor} looks at. Changes nothing; thread-safe. */
final class Checks {
    private static final int NEARLY = 90;
    private static final int PERCENT = 100;
    /** Time to make another range, or another cluster. */
    private static final Duration SOON = Duration.ofDays(30);

    private final Supplier<ClusterView> view;
    private final Optional<Informer> clusterCidrs;

    Checks(Supplier<ClusterView> view, Optional<Informer> clusterCidrs) {
        this.view = view;
        this.clusterCidrs = clusterCidrs;
    }

    List<Check> all() {
        return List.of(
                check("nodes-old", "the nodes are not known as they are now", this::old),
                check("overlap", "two nodes have the same addresses", this::overlaps),
                check("foreign", "a node has addresses outside of all ranges", this::foreign),
                check("full", "a range is full, or will be soon", this::full),
                check("waiting", "a node has no pod CIDR", this::waiting),
                check("unwritten", "the blocks of a node cannot be written to it", this::unwritten),
                check("clustercidr-terminating", "a ClusterCIDR is deleted and stays", this::terminating));
    }

    private Check check(String id, String title, Function<ClusterView, List<Finding>> look) {
        return Check.of(id, title, request -> look.apply(view.get()));
    }

    private List<Finding> old(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        if (!now.problem().isEmpty()) {
            findings.add(new Finding(
                    Severity.CRITICAL,
                    "nodes",
                    "no node gets a block until they are known again: " + now.problem(),
                    "status"));
        }
        clusterCidrs
                .filter(objects -> !objects.isCurrent())
                .ifPresent(objects -> findings.add(new Finding(
                        Severity.CRITICAL,
                        "clustercidrs",
                        "no node gets a block until they are known again: " + objects.problem(),
                        "status")));
        return findings;
    }

    /** Ascending, what is larger first: two overlap if the later one begins before the one that reaches furthest has ended. */
    private List<Finding> overlaps(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        Optional<Holding> furthest = Optional.empty();
        for (Holding holding : now.blocks().all()) {
            if (furthest.filter(other -> other.cidr().overlaps(holding.cidr())).isPresent()) {
                Holding other = furthest.get();
                if (!other.owner().equals(holding.owner())) {
                    findings.add(overlap(holding, other));
                }
            }
            if (furthest.filter(other ->
                            other.cidr().last().compareTo(holding.cidr().last()) >= 0)
                    .isEmpty()) {
                furthest = Optional.of(holding);
            }
        }
        return findings;
    }

    private static Finding overlap(Holding holding, Holding other) {
        boolean nodes =
                holding.owner().kind() == Owner.Kind.NODE && other.owner().kind() == Owner.Kind.NODE;
        Holding last = holding.owner().kind() == Owner.Kind.NODE ? holding : other;
        return new Finding(
                nodes ? Severity.CRITICAL : Severity.WARN,
                last.owner().name(),
                holding.owner() + " has " + holding.cidr() + ", and " + other.owner() + " has " + other.cidr() + ": "
                        + (nodes
                                ? "pods of both can have one address"
                                : "pods there can have the address of a service"),
                "drain " + last.owner().name() + " and delete it; nodeipam block " + holding.cidr());
    }

    private List<Finding> foreign(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        for (ClusterObject node : now.nodes().values()) {
            PodCidrs has = PodCidrs.of(node);
            Stream<String> outside = has.blocks().stream()
                    .filter(cidr -> now.around(cidr).isEmpty())
                    .map(cidr -> cidr + " is in no range: another controller gave it, or the ranges were changed");
            Stream.concat(outside, has.problem().stream())
                    .forEach(what -> findings.add(new Finding(
                            now.strict() ? Severity.CRITICAL : Severity.WARN,
                            node.name(),
                            what + (now.strict() ? "; no node gets a block while that is so" : ""),
                            "nodeipam import --dry-run")));
        }
        return findings;
    }

    private List<Finding> full(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        Growth growth = now.growth();
        LocalDate soon = LocalDate.ofInstant(now.at().plus(SOON), ZoneOffset.UTC);
        for (RangeUse range : RangeUse.of(now.blocks(), now.groups(""), 1)) {
            Optional<LocalDate> day = growth.full(range.free(), now.at());
            boolean nearly = (long) range.taken() * PERCENT >= (long) range.blocks() * NEARLY;
            if (range.free() == 0) {
                findings.add(new Finding(
                        Severity.CRITICAL,
                        range.range().toString(),
                        "all " + range.blocks() + " blocks of /" + range.blockLength()
                                + " are taken: a new node gets none",
                        "nodeipam show; nodeipam plan --nodes " + 2L * range.blocks()));
            } else if (nearly || day.filter(its -> !its.isAfter(soon)).isPresent()) {
                findings.add(new Finding(
                        Severity.WARN,
                        range.range().toString(),
                        range.free() + " of " + range.blocks() + " blocks are free"
                                + day.map(its -> ", which last until " + its + " at today's growth")
                                        .orElse(""),
                        "nodeipam plan --nodes " + 2L * range.blocks()));
            }
        }
        return findings;
    }

    private List<Finding> waiting(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        now.underWay().forEach((name, row) -> {
            if (row instanceof UnderWay.Waiting waiting && now.nodes().containsKey(name)) {
                findings.add(new Finding(
                        Severity.CRITICAL,
                        name,
                        "it gets no pods with a network of their own: " + waiting.text(),
                        "nodeipam show"));
            }
        });
        return findings;
    }

    private List<Finding> unwritten(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        now.underWay().forEach((name, row) -> {
            boolean kept = row instanceof UnderWay.Assigning assigning && assigning.unsure();
            if (kept || row instanceof UnderWay.Failed) {
                findings.add(new Finding(
                        Severity.WARN,
                        name,
                        "it " + now.state(name),
                        kept ? "plugin effects node-ipam; nodeipam release " + name : "plugin effects node-ipam"));
            }
        });
        return findings;
    }

    private List<Finding> terminating(ClusterView now) {
        List<Finding> findings = new ArrayList<>();
        clusterCidrs.stream()
                .flatMap(objects -> objects.list().stream())
                .filter(object -> object.deletion().isPresent())
                .forEach(object -> findings.add(terminating(now, object)));
        return findings;
    }

    private static Finding terminating(ClusterView now, ClusterObject object) {
        long nodes = Stream.of("ipv4", "ipv6")
                .map(family -> object.text("spec", family))
                .filter(text -> !text.isEmpty())
                .flatMap(text -> held(now, text))
                .map(Holding::owner)
                .filter(owner -> owner.kind() == Owner.Kind.NODE)
                .distinct()
                .count();
        String since = "it is deleted since " + object.deletion().orElseThrow();
        return nodes == 0
                ? new Finding(
                        Severity.WARN,
                        object.name(),
                        since + ", no node has a block of it, and its finalizers stay: " + object.finalizers(),
                        "plugin info node-ipam; trace node-ipam/clustercidr/" + object.name())
                : new Finding(
                        Severity.INFO,
                        object.name(),
                        since + ", and goes when the last of " + nodes + " nodes with blocks in its ranges is gone",
                        "nodeipam blocks");
    }

    private static Stream<Holding> held(ClusterView now, String cidr) {
        try {
            return now.blocks().overlapping(Subnet.parse(cidr)).stream();
        } catch (IllegalArgumentException e) {
            return Stream.empty(); // what is no CIDR has no blocks
        }
    }
}

package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.sdk.Family;
import io.enipam.sdk.cluster.ClusterObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Which {@code ClusterCIDR}s are for a node, and which of them is used first. */
final class Preference {
    /** One that selects a node, by so many requirements. */
    record Match(ClusterCidr of, int requirements) {
        private int blocks() {
            // each family has as many bits for the node: there are fewest blocks where the prefix of the range is
            // longest
            return of.cidrs()
                    .mapToInt(cidr -> of.blockLength(cidr.address().family()) - cidr.length())
                    .min()
                    .orElseThrow();
        }

        private int blockLength() {
            return of.blockLength(of.ipv4().isPresent() ? Family.IPV4 : Family.IPV6);
        }

        private String selector() {
            return of.selector().map(NodeSelector::text).orElse("");
        }

        private String cidr() {
            return of.cidrs().findFirst().orElseThrow().toString();
        }
    }

    /**
     * P0: more requirements of the node's labels; P1: fewer blocks in all; P2: smaller blocks; P3 and P4: the texts of the selector and of the
     * first CIDR. Where all that is equal, the name decides, so that replicas and restarts agree.
     */
    static final Comparator<Match> ORDER = Comparator.comparing(Match::requirements, Comparator.reverseOrder())
            .thenComparing(Match::blocks)
            .thenComparing(Match::blockLength, Comparator.reverseOrder())
            .thenComparing(Match::selector)
            .thenComparing(Match::cidr)
            .thenComparing(match -> match.of().name());

    private Preference() {}

    /**
     * Those that are for a node, in the order in which they are tried: those without a selector come last, in the order in which they are
     * given.
     */
    static List<ClusterCidr> of(ClusterObject node, Collection<ClusterCidr> all) {
        List<Match> matches = new ArrayList<>();
        for (ClusterCidr each : all) {
            OptionalInt requirements =
                    each.selector().map(its -> its.matches(node)).orElse(OptionalInt.empty());
            requirements.ifPresent(its -> matches.add(new Match(each, its)));
        }
        Stream<ClusterCidr> selecting = matches.stream().sorted(ORDER).map(Match::of);
        return Stream.concat(
                        selecting, all.stream().filter(each -> each.selector().isEmpty()))
                .toList();
    }
}

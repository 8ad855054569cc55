package io.enipam.examples.nodeipam.clustercidr;

import static io.enipam.examples.nodeipam.clustercidr.Given.cluster;
import static io.enipam.examples.nodeipam.clustercidr.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.assign.NodeAllocator.Proposal;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.examples.nodeipam.clustercidr.ClusterCidrs.Known;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.ranges.Subnet;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.TestContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases of the acceptance table, part D: which blocks a node gets. */
class MultiCidrCasesTest {
    private static final Map<String, String> LABELS =
            Map.of("testLabel-0", "node0", "testLabel-1", "label1", "testLabel-2", "label2");
    private static final Map<String, String> OF_NODE0 = Map.of("testLabel-0", "node0");
    private static final Map<String, String> LABEL1 = Map.of("testLabel-0", "node0", "testLabel-1", "label1");
    private static final Map<String, String> LABEL2 = Map.of("testLabel-0", "node0", "testLabel-2", "label2");

    private final FakeCluster cluster = new FakeCluster();
    private final Blocks blocks = new Blocks();
    private final MultiCidrAllocator allocator = allocator("127.123.234.0/26");

    private MultiCidrAllocator allocator(String services) {
        List<Subnet> cidrs = Stream.of(services.split(" ")).map(Subnet::parse).toList();
        cidrs.forEach(cidr -> blocks.hold(Owner.services(cidr.toString()), List.of(cidr)));
        return new MultiCidrAllocator(
                TestContext.builder().build(),
                cluster,
                blocks,
                cluster.informer(ObjectKind.NODE),
                cluster.informer(ClusterCidr.KIND),
                Optional.empty(),
                () -> {});
    }

    private void there(ClusterCidr... all) {
        for (ClusterCidr each : all) {
            synchronized (allocator.clusterCidrs()) {
                allocator.clusterCidrs().know(Optional.empty(), new Known(each.object(), Optional.of(each), ""));
            }
        }
    }

    private void taken(String... cidrs) {
        for (String cidr : cidrs) {
            blocks.hold(Owner.node("has-" + cidr), List.of(Subnet.parse(cidr)));
        }
    }

    private String proposed(ClusterObject node) {
        Proposal proposal = allocator.propose(node);
        return proposal instanceof Proposal.Blocks given
                ? String.join(" ", given.blocks().stream().map(Subnet::toString).toList())
                : "none: " + ((Proposal.Unavailable) proposal).why();
    }

    private String ofNode0() {
        return proposed(node("node0", LABELS));
    }

    @Test
    void d1WithoutServicesTheFirstBlockIsGiven() {
        blocks.release(Owner.services("127.123.234.0/26"));
        there(cluster("single", 2, "127.123.234.0/24", "", OF_NODE0));

        assertThat(ofNode0()).isEqualTo("127.123.234.0/30");
        assertThat(ofNode0()).as("asked again").isEqualTo("127.123.234.0/30");
    }

    @Test
    void d1WhatServicesHaveIsNotGiven() {
        there(cluster("single", 2, "127.123.234.0/24", "", OF_NODE0));

        assertThat(ofNode0()).isEqualTo("127.123.234.64/30");
    }

    @Test
    void d1WhatIsTakenIsNotGiven() {
        there(cluster("single", 2, "127.123.234.0/24", "", OF_NODE0));
        taken("127.123.234.64/30", "127.123.234.68/30", "127.123.234.72/30", "127.123.234.80/30");

        assertThat(ofNode0()).isEqualTo("127.123.234.76/30");
    }

    @Test
    void d2MoreLabelsThatMatchComeFirst() {
        there(
                cluster("one", 8, "10.0.0.0/8", "ace:cab:deca::/112", OF_NODE0),
                cluster("two", 8, "127.123.234.0/8", "abc:def:deca::/112", LABEL1));

        assertThat(ofNode0()).isEqualTo("127.0.0.0/24 abc:def:deca::/120");
    }

    @Test
    void d2OfOverlappingOnesNoBlockIsGivenThatAnotherHasGiven() {
        there(
                cluster("one", 8, "10.0.0.0/8", "ace:cab:deca::/112", OF_NODE0),
                cluster("two", 8, "10.0.0.0/16", "ace:cab:deca::/112", LABEL1));
        taken("10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.4.0/24", "ace:cab:deca::/120");

        assertThat(ofNode0()).isEqualTo("10.0.3.0/24 ace:cab:deca::100/120");
    }

    @Test
    void d4FewerBlocksComeFirst() {
        there(
                cluster("many", 8, "127.123.234.0/8", "abc:def:deca::/112", LABEL1),
                cluster("few", 8, "10.0.0.0/24", "ace:cab:deca::/120", LABEL2));

        assertThat(ofNode0()).isEqualTo("10.0.0.0/24 ace:cab:deca::/120");
    }

    @Test
    void d5OfTwoFamiliesTheSmallerNumberCounts() {
        there(
                cluster("two-blocks", 8, "127.123.234.0/23", "", LABEL1),
                cluster("one-of-ipv6", 8, "10.0.0.0/16", "ace:cab:deca::/120", LABEL2));

        assertThat(ofNode0()).isEqualTo("10.0.0.0/24 ace:cab:deca::/120");
    }

    @Test
    void d5SmallerBlocksComeFirst() {
        there(
                cluster("larger", 8, "127.123.234.0/24", "abc:def:deca::/120", LABEL1),
                cluster("smaller", 0, "10.0.0.0/32", "ace:cab:deca::/128", LABEL2));

        assertThat(ofNode0()).isEqualTo("10.0.0.0/32 ace:cab:deca::/128");
    }

    @Test
    void d7TheSelectorThatSortsFirstComesFirst() {
        there(
                cluster("label2", 8, "10.0.0.0/16", "ace:cab:deca::/112", LABEL2),
                cluster("label1", 8, "127.123.234.0/16", "abc:def:deca::/112", LABEL1));

        assertThat(ofNode0()).isEqualTo("127.123.0.0/24 abc:def:deca::/120");
    }

    @Test
    void d8TheSmallerCidrComesFirst() {
        there(
                cluster("high", 8, "127.123.234.0/16", "abc:def:deca::/112", LABEL1),
                cluster("low", 8, "10.0.0.0/16", "ace:cab:deca::/112", LABEL1));

        assertThat(ofNode0()).isEqualTo("10.0.0.0/24 ace:cab:deca::/120");
    }

    @Test
    void d8NoBlockIsCountedTwice() {
        Map<String, String> pool = Map.of("testLabel-0", "nodepool1");
        there(cluster("no-double-counting", 8, "10.10.0.0/22", "", pool));
        assertThat(allocator.occupy(node("node0", pool), List.of(Subnet.parse("10.10.0.0/24"))))
                .isEmpty();
        assertThat(allocator.occupy(node("node1", pool), List.of(Subnet.parse("10.10.2.0/24"))))
                .isEmpty();

        assertThat(proposed(node("node2", pool))).isEqualTo("10.10.1.0/24");
    }

    @Test
    void d10WhereAllAreTakenNoneIsGivenAndTheReasonSaid() {
        there(cluster("full", 2, "127.123.234.0/28", "", OF_NODE0));
        taken("127.123.234.0/30", "127.123.234.4/30", "127.123.234.8/30", "127.123.234.12/30");

        assertThat(ofNode0())
                .startsWith("none: ClusterCIDR full: 127.123.234.0/28 in blocks of /30 is full: of its 4 blocks");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "172.10.0.0/24",
                "10.10.0.0/24 a00::/86",
                "172.10.0.0/24 ace:cab:deca::/120",
                "10.10.0.0/24 cdd::/86"
            })
    void d10WhatIsInNoRangeIsNotedAndSaid(String cidrs) {
        there(cluster("dual", 8, "10.10.0.0/16", "ace:cab:deca::/112", OF_NODE0));
        List<Subnet> has = Stream.of(cidrs.split(" ")).map(Subnet::parse).toList();

        assertThat(allocator.occupy(node("node0", LABELS), has))
                .contains("could not occupy cidrs: [" + cidrs + "], No matching ClusterCIDRs found");
        assertThat(blocks.heldBy(Owner.node("node0"))).isEqualTo(has);
    }

    @Test
    void d11ABlockThatIsReleasedIsGivenAgain() {
        there(cluster("four", 2, "127.123.234.0/28", "", OF_NODE0));
        blocks.release(Owner.services("127.123.234.0/26"));
        taken("127.123.234.0/30", "127.123.234.4/30", "127.123.234.8/30", "127.123.234.12/30");
        assertThat(ofNode0()).startsWith("none");

        assertThat(allocator.release("has-127.123.234.4/30")).isTrue();

        assertThat(ofNode0()).isEqualTo("127.123.234.4/30");
        assertThat(allocator.release("unknown")).isFalse();
    }

    @Test
    void d11ABlockThatIsReleasedIsGivenAgainAfterTheOthers() {
        there(cluster("four", 2, "127.123.234.0/28", "", OF_NODE0));
        blocks.release(Owner.services("127.123.234.0/26"));
        taken("127.123.234.4/30", "127.123.234.8/30", "127.123.234.12/30");
        assertThat(ofNode0()).isEqualTo("127.123.234.0/30");
        allocator.release("node0");

        assertThat(ofNode0()).isEqualTo("127.123.234.0/30");
    }

    @Test
    void d22TheSecondNodeGetsTheSecondBlock() {
        Map<String, String> bootstrap = Map.of("bootstrap", "true");
        there(
                cluster("default-cluster-cidr", 8, "10.96.0.0/12", "fd00:10:96::/112", Map.of()),
                cluster("initial-cc", 8, "10.2.0.0/16", "fd00:20:96::/112", bootstrap));

        assertThat(proposed(node("initial-node", bootstrap))).isEqualTo("10.2.0.0/24 fd00:20:96::/120");
        assertThat(proposed(node("bootstrap-node", bootstrap))).isEqualTo("10.2.1.0/24 fd00:20:96::100/120");
        assertThat(proposed(node("default-node", Map.of("label", "unmatched"))))
                .isEqualTo("10.96.0.0/24 fd00:10:96::/120");
    }

    @Test
    void d23ARangeThatIsFullAndHasABlockReleasedGivesThatOne() {
        Map<String, String> dual = Map.of("ipv4", "true", "ipv6", "true");
        there(cluster("dualstack-release-cc", 8, "192.168.0.0/23", "fd00:30:100::/119", dual));
        assertThat(proposed(node("first", dual))).isEqualTo("192.168.0.0/24 fd00:30:100::/120");
        assertThat(proposed(node("second", dual))).isEqualTo("192.168.1.0/24 fd00:30:100::100/120");

        allocator.release("first");

        assertThat(proposed(node("third", dual))).isEqualTo("192.168.0.0/24 fd00:30:100::/120");
    }

    @ParameterizedTest(name = "of the first {0}: {2}")
    @CsvSource({
        "2,false,10.0.0.0/24 fd12:30:200::/120",
        "4,false,172.16.0.0/24 fd34:30:100::/120",
        "5,false,172.31.0.0/25 fd35:30:100::/121",
        "6,true,192.169.0.0/25 fd12:40:100::/121",
        "7,true,10.1.0.0/25 fd00:10:100::/121"
    })
    void d25TieBreaksInTheOrderOfTheRules(int first, boolean alpha, String expected) {
        Map<String, String> dual = Map.of("ipv4", "true", "ipv6", "true");
        Map<String, String> alphabetic = Map.of("apv4", "true", "bpv6", "true");
        List<ClusterCidr> all = List.of(
                cluster("single-label-match-cc", 8, "192.168.0.0/23", "fd00:30:100::/119", Map.of("match", "single")),
                first == 2
                        ? cluster("double-label-match-cc", 8, "10.0.0.0/23", "fd12:30:200::/119", dual)
                        : cluster("double-label-match-cc", 8, "10.0.0.0/20", "fd12:30:200::/116", dual),
                cluster("for-all", 8, "10.200.0.0/24", "fd99::/120", Map.of()),
                cluster("few-alloc-cc", 8, "172.16.0.0/23", "fd34:30:100::/119", dual),
                cluster("low-pernodehostbits-cc", 7, "172.31.0.0/24", "fd35:30:100::/120", dual),
                cluster("low-alpha-cc", 7, "192.169.0.0/24", "fd12:40:100::/120", alphabetic),
                cluster("low-ip-cc", 7, "10.1.0.0/24", "fd00:10:100::/120", alphabetic));
        there(all.subList(0, first).toArray(ClusterCidr[]::new));

        assertThat(proposed(node(
                        "dualstack-node",
                        alpha
                                ? Map.of(
                                        "apv4", "true", "bpv6", "true", "ipv4", "true", "ipv6", "true", "match",
                                        "single")
                                : Map.of("ipv4", "true", "ipv6", "true", "match", "single"))))
                .isEqualTo(expected);
    }

    @Test
    void aRangeThatIsFullLeavesTheNodeToTheNextOneAndTakesNothingOfItsOtherFamily() {
        there(
                cluster("first", 8, "10.1.0.0/16", "fd00:1::/120", OF_NODE0),
                cluster("second", 8, "10.2.0.0/16", "fd00:2::/112", Map.of()));
        assertThat(proposed(node("a", OF_NODE0))).isEqualTo("10.1.0.0/24 fd00:1::/120");

        assertThat(proposed(node("b", OF_NODE0))).isEqualTo("10.2.0.0/24 fd00:2::/120");
        assertThat(allocator.clusterCidrs().ranges("first"))
                .extracting(Report.Range::taken)
                .containsExactly(1, 1);
    }

    @Test
    void theReasonNamesTheRangeItsBlocksAndWhoHasThem() {
        there(
                cluster("a", 6, "127.123.234.0/24", "", OF_NODE0),
                cluster("b", 6, "127.123.234.192/26", "", Map.of("testLabel-0", "other")));
        taken("127.123.234.64/26", "127.123.234.128/26", "127.123.234.192/26");

        assertThat(ofNode0())
                .isEqualTo(
                        "none: ClusterCIDR a: 127.123.234.0/24 in blocks of /26 is full: of its 4 blocks nodes have 3,"
                                + " services 1 (its addresses are also those of b)");
        assertThat(proposed(node("n", Map.of())))
                .isEqualTo("none: none of the 2 ClusterCIDRs is for a node with the labels of n");
    }

    @Test
    void aNodeIsOfTheClusterCidrThatItWouldGetItsBlocksOf() {
        there(
                cluster("pool-a", 8, "10.0.0.0/16", "", Map.of("pool", "a")),
                cluster("pool-b", 8, "10.0.0.0/16", "", Map.of("pool", "b")),
                cluster("small", 6, "10.0.0.0/16", "", Map.of()));
        ClusterObject a = cluster.put(node("a", Map.of("pool", "a")));
        ClusterObject b = cluster.put(node("b", Map.of("pool", "b")));
        ClusterObject c = cluster.put(node("c", Map.of("pool", "c")));
        assertThat(List.of(proposed(a), proposed(b), proposed(c)))
                .containsExactly("10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/26");

        ClusterCidrs all = allocator.clusterCidrs();
        assertThat(List.of(all.of("a"), all.of("b"), all.of("c")))
                .containsExactly(Optional.of("pool-a"), Optional.of("pool-b"), Optional.of("small"));
        assertThat(all.of("unknown")).isEmpty();
        assertThat(List.of(all.nodesOf("pool-a"), all.nodesOf("pool-b"), all.nodesOf("small"), all.nodesOf("none")))
                .containsExactly(List.of("a"), List.of("b"), List.of("c"), List.of());

        cluster.put(cluster.find(a.ref()).orElseThrow().withLabels(Map.of()));
        assertThat(all.of("a"))
                .as("no selector is for it: its blocks are as large as those of two")
                .hasValue("pool-a");
    }
}

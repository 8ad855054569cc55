package io.enipam.examples.nodeipam.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Ranges as they are drawn. */
class MapTest {
    private final Blocks blocks = new Blocks();
    private final List<ClusterObject> nodes = new ArrayList<>();

    private void range(String pool, String cidr, int length) {
        blocks.add(pool, List.of(new BlockRange(Subnet.parse(cidr), length)));
    }

    private void node(String name, String group, String... cidrs) {
        nodes.add(ClusterObject.of(ObjectRef.node(name), Map.of())
                .withLabels(group.isEmpty() ? Map.of() : Map.of(NodeGroups.NODE_POOL, group)));
        blocks.hold(Owner.node(name), List.of(cidrs).stream().map(Subnet::parse).toList());
    }

    private List<RangeUse> uses(int cells) {
        return RangeUse.of(blocks, NodeGroups.of(nodes, ""), cells);
    }

    private String text() {
        return MapText.draw(uses(MapText.MOST_CELLS));
    }

    @Test
    void aBlockIsASignOfTheGroupThatHasIt() {
        range("cluster-cidr", "10.0.0.0/17", 24);
        blocks.hold(Owner.services("10.0.126.0/23"), List.of(Subnet.parse("10.0.126.0/23")));
        node("a1", "np-a", "10.0.0.0/24");
        node("a2", "np-a", "10.0.1.0/24");
        node("b1", "np-b", "10.0.3.0/24");
        node("c1", "", "10.0.64.0/24");
        blocks.hold(Owner.node("gone"), List.of(Subnet.parse("10.0.65.0/24")));

        assertThat(text()).isEqualTo("""
                        cluster-cidr 10.0.0.0/17 in blocks of /24: 7 of 128 taken, 121 free
                        10.0.0.0  AA.C............................................................
                        10.0.64.0 B?............................................................==

                        =  (services), 2 blocks
                        A  np-a, 2 blocks
                        B  (no label), 1 block
                        ?  (no node), 1 block
                        C  np-b, 1 block
                        .  free""");
    }

    @Test
    void aLargeRangeIsDrawnBySeveralBlocksASignAndNoLineIsWiderThanATerminal() {
        range("v4", "10.0.0.0/8", 28);
        range("v6", "2001:db8:ffff:ffff::/64", 80);
        for (int i = 0; i < 1_024; i++) {
            node("a" + i, "np-a", "10.0." + i / 16 + "." + i % 16 * 16 + "/28");
        }
        node("b", "np-b", "10.255.255.240/28", "2001:db8:ffff:ffff:8000::/80");

        List<String> lines = text().lines().toList();

        assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(lines.get(0)).isEqualTo("v4 10.0.0.0/8 in blocks of /28: 1025 of 1048576 taken, 1047551 free");
        assertThat(lines.get(1)).isEqualTo("(a character is 1024 blocks)");
        assertThat(lines.get(2)).isEqualTo("10.0.0.0   A" + ".".repeat(63));
        assertThat(lines.get(17)).isEqualTo("10.240.0.0 " + ".".repeat(63) + "b");
        assertThat(lines).anyMatch(line -> line.matches("2001:db8:ffff:ffff:8000:: +b\\.{31}"));
        assertThat(lines.stream().filter(line -> line.startsWith("2001:"))).hasSize(32);
    }

    @Test
    void moreGroupsThanLettersShareASign() {
        range("p", "10.0.0.0/16", 24);
        for (int i = 0; i < 30; i++) {
            node("n" + i, String.format("np-%02d", i), "10.0." + i + ".0/24");
        }
        assertThat(text()).contains("ABCDEFGHIJKLMNOPQRSTUVWXYZ****..").contains("*  other groups\n.  free");
    }

    @Test
    void anOwnerOfMoreThanARangeFillsIt() {
        range("p", "10.0.0.0/24", 26);
        node("wide", "np-a", "10.0.0.0/8");
        RangeUse use = uses(64).get(0);
        assertThat(use.taken()).isEqualTo(4);
        assertThat(use.groups()).isEqualTo(Map.of("np-a", 4));
        assertThat(text()).contains("10.0.0.0 AAAA\n");
    }

    @Test
    void thePageHasASquareForEachBlockAndEscapesWhatNodesAreCalled() {
        range("a<b", "10.0.0.0/20", 24);
        node("n", "", "10.0.2.0/24");
        String page = MapPage.draw(RangeUse.of(blocks, new NodeGroups("x", Map.of("n", "<script>")), 4096));

        assertThat(page).startsWith("<!doctype html>").endsWith("</html>").doesNotContain("<script", "a<b");
        assertThat(page.split("<rect", -1)).hasSize(17);
        assertThat(page).contains("<title>10.0.2.0/24: &lt;script&gt;</title>", "<h2>a&lt;b 10.0.0.0/20");
    }

    @Test
    void aPageOfManyLargeRangesIsWithinWhatACommandMayAnswer() {
        for (int i = 0; i < 40; i++) {
            range("p" + i, "10." + i + ".0.0/16", 28);
            node("n" + i, "np-" + i, "10." + i + ".0.0/17");
        }
        int cells = Integer.highestOneBit(Math.max(64, MapPage.MOST_CELLS / 40));
        assertThat(MapPage.draw(uses(cells)).length()).isLessThan(1_000_000);
        blocks.pools().stream().skip(1).forEach(blocks::remove);
        assertThat(MapPage.draw(uses(MapPage.MOST_CELLS)).length()).isLessThan(1_000_000);
    }
}

package io.enipam.examples.nodeipam.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.nodeipam.NodeIpamPlugin;
import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.Command;
import io.enipam.sdk.Controller;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Finding.Severity;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of a cluster, and does: commands and checks. */
class OperatorTest {
    private static final Instant NOW = Instant.parse("2026-06-30T00:00:00Z");

    private final FakeCluster cluster = new FakeCluster();
    private final InMemoryJournal journal = new InMemoryJournal();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private Controller part;

    @BeforeEach
    void open() {
        NodeIpamPlugin plugin = new NodeIpamPlugin();
        TestContext host = TestContext.builder()
                .settings(plugin.settings())
                .value("cluster_cidr", "10.0.0.0/22")
                .value("service_cluster_ip_range", "10.0.3.0/24")
                .value("node_cidr_mask_size", "26")
                .journal(journal)
                .clock(TestClock.at(NOW))
                .service(Cluster.class, cluster)
                .build();
        part = (Controller) plugin.extensions().get(0).open(host);
        opened.add(part);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private void node(String name, String pool, String... cidrs) {
        Map<String, Object> spec =
                cidrs.length == 0 ? Map.of() : Map.of("podCIDR", cidrs[0], "podCIDRs", List.of(cidrs));
        cluster.put(ClusterObject.of(ObjectRef.node(name), Map.of("spec", spec))
                .withLabels(Map.of(NodeGroups.NODE_POOL, pool, "zone", "z1"))
                .withCreation(NOW.minus(Duration.ofDays(10))));
    }

    private void row(String name, UnderWay row) {
        journal.update(tx -> tx.put(UnderWay.TABLE, name, row))
                .toCompletableFuture()
                .join();
    }

    private void assigning(String name, String... blocks) {
        row(
                name,
                new UnderWay.Assigning(
                        "u", List.of(blocks).stream().map(Subnet::parse).toList(), 1, true, 0));
    }

    private Command command(String words) {
        return part.commands().stream()
                .filter(each -> String.join(" ", each.spec().path()).equals(words))
                .findFirst()
                .orElseThrow();
    }

    private Answer run(String words, boolean dryRun, String... parameters) {
        Map<String, List<String>> typed = new HashMap<>();
        for (String parameter : parameters) {
            String[] parts = parameter.split("=", 2);
            typed.put(parts[0], List.of(parts[1]));
        }
        Command command = command(words);
        return command.run(Call.of(command.spec(), typed, dryRun));
    }

    private List<List<String>> rows(String words, String... parameters) {
        return ((Answer.Rows) run(words, false, parameters)).table().rows();
    }

    private String said(String words, String... parameters) {
        return ((Answer.Prose) run(words, false, parameters)).text();
    }

    private Answer.Refusal refused(String words, String... parameters) {
        return (Answer.Refusal) run(words, false, parameters);
    }

    private List<Finding> findings(String id) {
        record Request(Instant at) implements CheckRequest {}
        return part.checks().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow()
                .run(new Request(NOW));
    }

    // ---- ranges

    @Test
    void showHasABarForEachRangeAndOneForEachGroup() {
        node("a1", "np-a", "10.0.0.0/26");
        node("a2", "np-a", "10.0.0.64/26");
        node("b1", "np-b", "10.0.0.128/26");

        assertThat(rows("nodeipam show"))
                .containsExactly(
                        List.of(
                                "cluster-cidr",
                                "10.0.0.0/22",
                                "/26",
                                "16",
                                "all",
                                "7",
                                "43.8",
                                "########............",
                                "2026-08-14"),
                        List.of(
                                "cluster-cidr",
                                "10.0.0.0/22",
                                "/26",
                                "16",
                                "(services)",
                                "4",
                                "25.0",
                                "#####...............",
                                "-"),
                        List.of(
                                "cluster-cidr",
                                "10.0.0.0/22",
                                "/26",
                                "16",
                                "np-a",
                                "2",
                                "12.5",
                                "##..................",
                                "-"),
                        List.of(
                                "cluster-cidr",
                                "10.0.0.0/22",
                                "/26",
                                "16",
                                "np-b",
                                "1",
                                "6.3",
                                "#...................",
                                "-"));
        assertThat(rows("nodeipam show", "by=zone"))
                .extracting(row -> row.get(4))
                .containsExactly("all", "(services)", "z1");
        assertThat(rows("nodeipam show", "by=none"))
                .extracting(row -> row.get(4))
                .contains("(no label)");
    }

    @Test
    void theMapIsTextOrAPage() {
        node("a1", "np-a", "10.0.0.0/26");
        assertThat(said("nodeipam map")).contains("10.0.0.0 A...........====");
        assertThat(said("nodeipam map", "html=map.html")).startsWith("<!doctype html>");
    }

    @Test
    void blocksThatAreAboutToBeWrittenCountAsTaken() {
        node("a1", "np-a", "10.0.0.0/26");
        node("new", "np-a");
        assigning("new", "10.0.0.64/26");
        assertThat(rows("nodeipam blocks"))
                .containsExactly(
                        List.of("10.0.0.0/26", "node a1", "np-a", "cluster-cidr 10.0.0.0/22 in blocks of /26"),
                        List.of("10.0.0.64/26", "node new", "np-a", "cluster-cidr 10.0.0.0/22 in blocks of /26"),
                        List.of(
                                "10.0.3.0/24",
                                "services 10.0.3.0/24",
                                "(services)",
                                "cluster-cidr 10.0.0.0/22 in blocks of /26"));
    }

    // ---- nodes and blocks

    @Test
    void aNodeSaysWhatItHasOrWhyItHasNothing() {
        node("a1", "np-a", "10.0.0.0/26");
        node("poor", "np-b");
        row("poor", new UnderWay.Waiting("u", "all blocks are taken", NOW));

        assertThat(rows("nodeipam node", "node=a1"))
                .contains(
                        List.of("state", "has its blocks"),
                        List.of("group", "np-a"),
                        List.of("created", "2026-06-20T00:00:00Z"),
                        List.of("block", "10.0.0.0/26 of cluster-cidr 10.0.0.0/22 in blocks of /26"));
        assertThat(rows("nodeipam node", "node=poor")).contains(List.of("state", "waits: all blocks are taken"));
        row(
                "poor",
                new UnderWay.Waiting("u", "all blocks are taken, and that by nodes of a group that has the most", NOW));
        assertThat(rows("nodeipam node", "node=poor"))
                .as("a cell is cut behind 60 characters")
                .contains(
                        List.of("state", "waits: all blocks are taken, and that by nodes of a group"),
                        List.of("state", "that has the most"));
        assertThat(refused("nodeipam node", "node=nobody").kind()).isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    void aBlockAndAnAddressSayWhoHasThem() {
        node("a1", "np-a", "10.0.0.0/26");
        assertThat(rows("nodeipam block", "block=10.0.0.7"))
                .containsExactly(
                        List.of("range", "cluster-cidr 10.0.0.0/22 in blocks of /26"),
                        List.of("taken", "10.0.0.0/26 by node a1 of np-a, which has its blocks"));
        assertThat(rows("nodeipam block", "block=10.0.1.0/24")).last().isEqualTo(List.of("free", "10.0.1.0/24"));
        node("far", "np-a", "192.168.0.0/26");
        assertThat(rows("nodeipam block", "block=192.168.0.1"))
                .first()
                .isEqualTo(List.of("range", "(outside of all ranges)"));
        assertThat(refused("nodeipam block", "block=192.168.1.0/24").kind()).isEqualTo(ErrorKind.NOT_FOUND);
        assertThatThrownBy(() -> rows("nodeipam block", "block=10.0.0"))
                .isInstanceOf(FactoryException.class)
                .hasMessage("invalid IP address: 10.0.0");
    }

    @Test
    void namesOfNodesAndLabelsAreCompleted() {
        node("a1", "np-a");
        node("b1", "np-a");
        Command show = command("nodeipam show");
        Setting<?> node = command("nodeipam node").spec().operands().get(0);
        assigning("a-gone", "10.0.0.0/26");
        assertThat(command("nodeipam node").complete(node, "a")).containsExactly("a-gone", "a1");
        Setting<?> block = command("nodeipam block").spec().operands().get(0);
        assertThat(command("nodeipam block").complete(block, "10.0.0.")).containsExactly("10.0.0.0/26");
        assertThat(show.complete(show.spec().options().get(0), "zo")).containsExactly("zone");
    }

    @Test
    void explainAsksAboutNodesAndBlocksAndChangesNothing() {
        assertThat(part.commands())
                .filteredOn(Command::explains)
                .extracting(command -> String.join(" ", command.spec().path()))
                .containsExactly("nodeipam node", "nodeipam block");
    }

    // ---- release

    @Test
    void whatANodeHasInItsSpecIsNeverReleased() {
        node("a1", "np-a", "10.0.0.0/26");
        assigning("a1", "10.0.0.0/26");
        assertThat(refused("nodeipam release", "node=a1"))
                .isEqualTo(new Answer.Refusal(
                        ErrorKind.CONFLICT,
                        "a1 has 10.0.0.0/26 in its spec, and its pods have addresses of it: delete the node instead"));
    }

    @Test
    void aPatchThatArrivedUnheardOfIsFoundOutBeforeAnythingIsReleased() {
        node("a1", "np-a");
        assigning("a1", "10.0.0.0/26");
        cluster.breakWatches();
        node("a1", "np-a", "10.0.0.0/26");
        assertThat(refused("nodeipam release", "node=a1").why()).contains("the nodes are not all known");
        cluster.restoreWatches();
        assertThat(refused("nodeipam release", "node=a1").kind()).isEqualTo(ErrorKind.CONFLICT);
    }

    @Test
    void whatIsHeldForANodeThatIsGoneIsFreeWithTheNextReconcile() {
        assigning("gone", "10.0.0.0/26");
        assertThat(((Answer.Prose) run("nodeipam release", true, "node=gone")).text())
                .isEqualTo(
                        "10.0.0.0/26 would be free; gone is gone, and held 10.0.0.0/26; whether they were written is not"
                                + " known yet");
        List<String> told = new ArrayList<>();
        for (Source source : part.watches()) {
            opened.add(0, source.open(new Source.Sink() {
                @Override
                public void changed(String key) {
                    told.add(key);
                }

                @Override
                public void synced() {}

                @Override
                public void lost(String why) {
                    throw new AssertionError(why);
                }
            }));
        }
        told.clear();

        assertThat(said("nodeipam release", "node=gone")).isEqualTo("10.0.0.0/26 is given up; gone is gone");

        assertThat(told).containsExactly("gone");
        journal.commit(tx -> part.reconcile("gone", tx)).toCompletableFuture().join();
        assertThat(said("nodeipam release", "node=gone")).isEqualTo("nothing is held for gone");
    }

    @Test
    void aReplicaThatFollowsReleasesNothing() {
        assigning("gone", "10.0.0.0/26");
        cluster.lead(false);
        assertThat(refused("nodeipam release", "node=gone").why()).isEqualTo("this replica does not lead: ask another");
    }

    @Test
    void withoutAnAnswerOfTheApiServerNothingIsReleased() {
        assigning("gone", "10.0.0.0/26");
        cluster.failNext(1, ErrorKind.UNAVAILABLE, false);
        assertThat(refused("nodeipam release", "node=gone").why())
                .startsWith("whether gone has 10.0.0.0/26 is not known");
    }

    // ---- import

    @Test
    void anImportSaysWhatIsTakenOverWhatOverlapsAndWhatTheControllerManagerNeeds() {
        node("right", "np-a", "10.0.0.0/26");
        node("new", "np-a");
        node("one", "np-a", "10.0.0.64/26");
        node("other", "np-a", "10.0.0.64/27");
        node("far", "np-a", "192.168.0.0/26");
        node("broken", "np-a", "10.0.0.0/99");

        assertThat(((Answer.Rows) run("nodeipam import", true)).table().rows())
                .containsExactly(
                        List.of("broken", "10.0.0.0/99", "failed to parse node broken, CIDR 10.0.0.0/99"),
                        List.of("far", "192.168.0.0/26", "in no range: no node gets a block while that is so"),
                        List.of("one", "10.0.0.64/26", "overlaps 10.0.0.64/27 of node other"),
                        List.of("other", "10.0.0.64/27", "overlaps 10.0.0.64/26 of node one"),
                        List.of("(controller manager)", "-", "to change over: --allocate-node-cidrs=false"),
                        List.of("(controller manager)", "-", "to go back: --allocate-node-cidrs=true"),
                        List.of("(controller manager)", "-", "to go back: --cluster-cidr=10.0.0.0/22"),
                        List.of("(controller manager)", "-", "to go back: --node-cidr-mask-size=26"),
                        List.of("(controller manager)", "-", "to go back: --service-cluster-ip-range=10.0.3.0/24"),
                        List.of("new", "-", "has none: gets some"),
                        List.of("right", "10.0.0.0/26", "taken over as it is"));
        assertThat(refused("nodeipam import").why()).contains("nothing to import");
        assertThat(cluster.requests()).isEmpty();
    }

    // ---- plan

    @Test
    void aPlanIsAboutTheRangesInForceOrThoseThatAreTyped() {
        node("a1", "np-a", "10.0.0.0/26");
        assertThat(rows("nodeipam plan"))
                .containsExactly(List.of("10.0.0.0/22", "/26", "12", "64", "768", "4", "1", "0.0", "never"));
        assertThat(rows("nodeipam plan", "cluster_cidr=10.8.0.0/16,fd00::/56", "nodes=300"))
                .extracting(row -> row.subList(0, 3))
                .containsExactly(List.of("10.8.0.0/16", "/24", "256"), List.of("fd00::/56", "/64", "256"));
        assertThat(rows("nodeipam plan", "cluster_cidr=10.8.0.0/16", "mask=25").get(0))
                .startsWith("10.8.0.0/16", "/25", "512");
        assertThatThrownBy(() -> rows("nodeipam plan", "cluster_cidr=10.8.0.0/16", "mask=8"))
                .hasMessage("blocks of /8 are larger than 10.8.0.0/16");
        assertThatThrownBy(() -> rows("nodeipam plan", "cluster_cidr=10.8.0.0/16", "mask=24,64"))
                .hasMessage("there are 1 ranges and 2 masks");
    }

    // ---- checks

    @Test
    void ofAClusterThatIsWellNothingIsFound() {
        node("a1", "np-a", "10.0.0.0/26");
        node("a2", "np-a", "10.0.0.64/26");
        assertThat(part.checks())
                .hasSize(7)
                .allSatisfy(check -> assertThat(findings(check.id())).isEmpty());
    }

    @Test
    void nodesWithTheSameAddressesAreFoundWhateverTheSizeOfTheirBlocks() {
        node("wide", "np-a", "10.0.0.0/24");
        node("in1", "np-a", "10.0.0.64/26");
        node("in2", "np-a", "10.0.0.192/26");
        node("beside", "np-a", "10.0.1.0/26");
        node("service", "np-a", "10.0.3.64/26");

        assertThat(findings("overlap"))
                .extracting(Finding::severity, Finding::subject)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(Severity.CRITICAL, "in1"),
                        org.assertj.core.groups.Tuple.tuple(Severity.CRITICAL, "in2"),
                        org.assertj.core.groups.Tuple.tuple(Severity.WARN, "service"));
    }

    @Test
    void addressesOutsideOfAllRangesAreForeign() {
        node("far", "np-a", "192.168.0.0/26", "fd00::/64");
        assertThat(findings("foreign"))
                .extracting(Finding::fix)
                .containsExactly("nodeipam import --dry-run", "nodeipam import --dry-run");
    }

    @Test
    void aRangeThatIsFullOrNearlySoIsFound() {
        for (int i = 0; i < 11; i++) {
            node("n" + i, "np-a", "10.0." + i / 4 + "." + i % 4 * 64 + "/26");
        }
        assertThat(findings("full")).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARN);
            assertThat(finding.why()).startsWith("1 of 16 blocks are free, which last until 2026-07-01");
        });
        node("last", "np-a", "10.0.2.192/26");
        assertThat(findings("full")).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(finding.fix()).contains("nodeipam plan --nodes 32");
        });
    }

    @Test
    void nodesThatWaitAndThoseThatCannotBeWrittenAreFoundWithTheReason() {
        node("poor", "np-a");
        node("stuck", "np-a");
        node("refused", "np-a");
        row("poor", new UnderWay.Waiting("u", "all blocks are taken", NOW));
        row("gone", new UnderWay.Waiting("u", "all blocks are taken", NOW));
        row("refused", new UnderWay.Failed("u", 2));
        assigning("stuck", "10.0.0.0/26");

        assertThat(findings("waiting")).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo("poor");
            assertThat(finding.why()).endsWith("all blocks are taken");
        });
        assertThat(findings("unwritten")).extracting(Finding::subject).containsExactlyInAnyOrder("refused", "stuck");
        assertThat(findings("unwritten"))
                .filteredOn(finding -> finding.subject().equals("stuck"))
                .extracting(Finding::fix)
                .containsExactly("plugin effects node-ipam; nodeipam release stuck");
    }

    @Test
    void aWatchThatIsBrokenIsFoundByItsReason() {
        cluster.breakWatches();
        assertThat(findings("nodes-old"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.why()).endsWith("the watch is broken"));
    }

    @Test
    void everyAdviceIsACommandThatThereIs() {
        node("far", "np-a", "192.168.0.0/26");
        node("same", "np-a", "192.168.0.0/26");
        List<String> words = part.commands().stream()
                .map(command -> String.join(" ", command.spec().path()))
                .toList();
        for (String id : List.of("overlap", "foreign")) {
            assertThat(findings(id))
                    .isNotEmpty()
                    .allSatisfy(finding ->
                            assertThat(words).anyMatch(word -> finding.fix().contains(word + " ")));
        }
    }
}

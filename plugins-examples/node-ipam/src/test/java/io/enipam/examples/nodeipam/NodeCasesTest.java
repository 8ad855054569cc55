package io.enipam.examples.nodeipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Finding;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases of the acceptance table, part B: nodes and the RangeAllocator. */
class NodeCasesTest {
    private final FakeCluster cluster = new FakeCluster();
    private final InMemoryJournal store = new InMemoryJournal();
    private final TestClock clock = TestClock.at(Instant.parse("2026-01-02T03:04:05Z"));
    private final List<Replica> replicas = new ArrayList<>();

    @AfterEach
    void close() {
        replicas.forEach(Replica::close);
    }

    /** @param settings such as {@code cluster_cidr=10.0.0.0/16 node_cidr_mask_size=24} */
    private Replica started(String settings) {
        Map<String, List<String>> values = new HashMap<>();
        for (String setting : settings.split(" ")) {
            String[] parts = setting.split("=");
            values.put(parts[0], List.of(parts[1]));
        }
        // gets nothing, and is the one that the controller marks
        cluster.put(ClusterObject.of(ObjectRef.node("leaving"), Map.of()).withFinalizers(List.of("a/b")));
        delete("leaving");
        Replica replica = new Replica(store, cluster, values, clock);
        replicas.add(replica);
        replica.lead();
        replica.drain();
        return replica;
    }

    private ClusterObject node(String name, String... podCidrs) {
        Map<String, Object> spec =
                podCidrs.length == 0 ? Map.of() : Map.of("podCIDR", podCidrs[0], "podCIDRs", List.of(podCidrs));
        return cluster.put(ClusterObject.of(ObjectRef.node(name), Map.of("spec", spec)));
    }

    private void label(String name) {
        cluster.put(cluster.find(ObjectRef.node(name)).orElseThrow().withLabels(Map.of("a", "b")));
    }

    private void delete(String name) {
        cluster.remove(ObjectRef.node(name));
    }

    private List<String> cidrs(String name) {
        return cluster.find(ObjectRef.node(name)).orElseThrow().texts("spec", "podCIDRs");
    }

    private List<String> requests() {
        return cluster.requests().stream()
                .filter(request -> !request.equals("PATCH Node leaving"))
                .toList();
    }

    private List<ClusterEvent> events(String name) {
        return cluster.events(ObjectRef.node(name));
    }

    private static int taken(Replica replica, int index) {
        return replica.part
                .blocks()
                .read("cluster-cidr", ranges -> ranges.get(index).taken())
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "10.10.0.0/16, ''",
        "10.10.0.0/16, 10.10.0.1/24",
        "'10.10.0.0/16,ace:cab:deca::/64', ''",
        "'10.10.0.0/16,ace:cab:deca::/64', '10.10.0.1/24,ace:cab:deca::/86'"
    })
    void b1BlocksThatNodesHaveAlreadyAreOccupied(String ranges, String has) {
        node("n0", has.isEmpty() ? new String[0] : has.split(","));
        String masks = ranges.contains(",")
                ? "node_cidr_mask_size_ipv4=24 node_cidr_mask_size_ipv6=80"
                : "node_cidr_mask_size=24";
        Replica replica = started("cluster_cidr=" + ranges + " " + masks);
        assertThat(replica.lost()).isEmpty();
        assertThat(taken(replica, 0)).isOne();
        node("n1");
        replica.drain();
        assertThat(cidrs("n1").get(0)).isEqualTo("10.10.1.0/24");
    }

    @ParameterizedTest
    @CsvSource({
        "b2, 172.16.0.0/24, 'failed to mark cidr[172.16.0.0/24] at idx [0] as occupied for node: c1: cidr"
                + " 172.16.0.0/24 is out the range of cluster cidr 10.10.0.0/16'",
        "b2 b11, '10.10.0.0/24,a00::/86', 'node:c1 has an allocated cidr: a00::/86 at index:1 that does not exist in"
                + " cluster cidrs configuration'",
        "b2 b11, 10.10.256.0/24, 'failed to parse node c1, CIDR 10.10.256.0/24'",
        "b2, '10.10.0.0/24,cdd::/861', 'failed to parse node c1, CIDR cdd::/861'",
        "b20, 172.16.0.0/24, 'failed to mark cidr[172.16.0.0/24] at idx [0] as occupied for node: c1: cidr"
                + " 172.16.0.0/24 is out the range of cluster cidr 10.10.0.0/16'"
    })
    void b2AndB11AndB20ANodeOfAnotherConfigurationKeepsTheControllerFromStarting(String row, String has, String why) {
        node("c1", has.split(","));
        node("c2");
        Replica replica = started("cluster_cidr=10.10.0.0/16");
        assertThat(replica.lost()).as(row).hasValue(why);
        assertThat(replica.ready()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "b4, '', 127.123.234.64/30",
        "b5, '127.123.234.64/30,127.123.234.68/30,127.123.234.72/30,127.123.234.80/30', 127.123.234.76/30"
    })
    void b4AndB5TheServicesAddressesAreLeftOut(String row, String occupied, String expected) {
        if (!occupied.isEmpty()) {
            for (String cidr : occupied.split(",")) {
                node("has-" + cidr.hashCode(), cidr);
            }
        }
        Replica replica = started(
                "cluster_cidr=127.123.234.0/24 node_cidr_mask_size=30 service_cluster_ip_range=127.123.234.0/26");
        node("node0");
        replica.drain();
        assertThat(cidrs("node0")).as(row).containsExactly(expected);
    }

    @Test
    void b7WhatAnotherNodeHasIsNotCountedTwice() {
        node("node0", "10.10.0.0/24");
        node("node1", "10.10.2.0/24");
        node("node2");
        Replica replica = started("cluster_cidr=10.10.0.0/22");
        assertThat(cidrs("node2")).containsExactly("10.10.1.0/24");
        assertThat(taken(replica, 0)).isEqualTo(3);
    }

    @Test
    void b8WhereAllIsTakenNothingIsWritten() {
        for (int i = 0; i < 4; i++) {
            node("has" + i, "127.123.234." + 4 * i + "/30");
        }
        node("node0");
        started("cluster_cidr=127.123.234.0/28 node_cidr_mask_size=30");
        assertThat(cidrs("node0")).isEmpty();
        assertThat(requests())
                .contains("POST event CIDRNotAvailable of Node node0")
                .doesNotContain("PATCH Node node0");
    }

    @Test
    void b10ABlockThatIsFreeIsTakenAgain() {
        node("a", "127.123.234.4/30");
        node("b", "127.123.234.8/30");
        node("c", "127.123.234.12/30");
        Replica replica = started("cluster_cidr=127.123.234.0/28 node_cidr_mask_size=30");
        for (String name : List.of("d", "e")) {
            node(name);
            replica.drain();
            assertThat(cidrs(name)).containsExactly("127.123.234.0/30");
            delete(name);
            replica.drain();
        }
    }

    @Test
    void b13WhenOneFamilyIsFullNothingOfTheOtherIsTaken() {
        Replica replica = started("cluster_cidr=10.0.0.0/23,fd00::/64 node_cidr_mask_size_ipv6=64");
        for (String name : List.of("a", "b", "c")) {
            node(name);
            replica.drain();
        }
        assertThat(cidrs("a")).containsExactly("10.0.0.0/24", "fd00::/64");
        for (String name : List.of("b", "c")) {
            assertThat(cidrs(name)).isEmpty();
            assertThat(events(name))
                    .singleElement()
                    .satisfies(event -> assertThat(event.message())
                            .startsWith("Node " + name
                                    + " status is now: CIDRNotAvailable: failed to allocate cidr from cluster cidr at"
                                    + " idx:1: "));
        }
        assertThat(taken(replica, 0)).isOne();
    }

    @ParameterizedTest
    @CsvSource({"INTERNAL, false", "UNAVAILABLE, false", "DEADLINE_EXCEEDED, true"})
    void b14APatchThatFailsThreeTimesReleasesTheBlockUnlessOneOfThemHadNoAnswer(ErrorKind kind, boolean kept) {
        Replica replica = started("cluster_cidr=10.0.0.0/23");
        cluster.failNext(3, kind, false);
        node("n");
        for (int i = 0; i < 3; i++) {
            List.copyOf(replica.queue).forEach(replica::reconcile);
            replica.due().forEach(replica::perform);
        }
        assertThat(requests())
                .containsExactly(
                        "PATCH Node n", "PATCH Node n", "PATCH Node n", "POST event CIDRAssignmentFailed of Node n");
        assertThat(events("n"))
                .singleElement()
                .satisfies(event -> assertThat(event.message())
                        .startsWith("Node n status is now: CIDRAssignmentFailed: "
                                + (kept ? "[10.0.0.0/24] is kept for it: " : "PATCH")));
        List.copyOf(replica.queue).forEach(replica::reconcile);
        assertThat(replica.rows().get("n")).isInstanceOf(kept ? UnderWay.Assigning.class : UnderWay.Failed.class);
        node("m");
        replica.drain();
        assertThat(cidrs("m")).containsExactly("10.0.1.0/24");
        replica.drainLater();
        assertThat(cidrs("n")).containsExactly("10.0.0.0/24");
        assertThat(replica.rows()).isEmpty();
    }

    /** What cannot be released the doctor finds; what the node has taken is free when it is gone, whatever it is. */
    @ParameterizedTest
    @CsvSource({
        "10.10.300.0/24, failed to parse node x",
        "'10.10.1.0/24,fd00::/64', fd00::/64 is in no range",
        "172.16.0.0/24, 172.16.0.0/24 is in no range",
        "10.10.1.0/24, ''"
    })
    void b16ANodeThatIsGoneReleasesWhatItTook(String has, String problem) {
        Replica replica = started("cluster_cidr=10.10.0.0/16");
        node("x", has.split(","));
        replica.drain();
        assertThat(foreign(replica)).hasSize(problem.isEmpty() ? 0 : 1).allMatch(why -> why.startsWith(problem));
        assertThat(taken(replica, 0)).isEqualTo(has.startsWith("10.10.1.") ? 1 : 0);
        delete("x");
        replica.drain();
        assertThat(taken(replica, 0)).isZero();
        assertThat(replica.part.blocks().all()).isEmpty();
        assertThat(foreign(replica)).isEmpty();
    }

    private static List<String> foreign(Replica replica) {
        record Request(Instant at) implements CheckRequest {}
        return replica.part.checks().stream()
                .filter(check -> check.id().equals("foreign"))
                .flatMap(check -> check.run(new Request(Instant.EPOCH)).stream())
                .map(Finding::why)
                .toList();
    }

    /** Where the tables are in etcd, a commit that failed may still come to pass: its blocks stay the node's until it is gone. */
    @Test
    void aBlockOfACommitThatFailedStaysANodesThatIsBeingDeletedAndIsFreeWhenThatIsGone() {
        Replica replica = started("cluster_cidr=10.10.0.0/24");
        store.failing(true);
        ClusterObject dying =
                cluster.put(ClusterObject.of(ObjectRef.node("dying"), Map.of()).withFinalizers(List.of("a/b")));
        replica.drain();
        store.failing(false);
        delete("dying");
        replica.drainLater();
        node("next");
        replica.drain();
        assertThat(cidrs("dying")).isEmpty();
        assertThat(cidrs("next")).isEmpty();
        cluster.put(cluster.find(dying.ref()).orElseThrow().withFinalizers(List.of()));
        replica.drain();
        assertThat(cidrs("next")).containsExactly("10.10.0.0/24");
        assertThat(replica.rows()).isEmpty();
    }

    @Test
    void theEventOfANodeThatGotNothingSaysWhichNodePoolsHaveTheBlocksAndIsNotToldAgainForThat() {
        Replica replica = started("cluster_cidr=10.10.0.0/22 node_cidr_mask_size=24");
        for (String name : List.of("a1", "a2", "b1", "a3")) {
            cluster.put(node(name).withLabels(Map.of(NodeGroups.NODE_POOL, "np-" + name.charAt(0))));
            replica.drain();
        }
        node("late");
        replica.drain();
        assertThat(events("late"))
                .singleElement()
                .satisfies(event -> assertThat(event.message())
                        .endsWith("nodes have 4, services 0; np-a has 3 of 10.10.0.0/22, np-b 1"));
        cluster.put(cluster.find(ObjectRef.node("a1")).orElseThrow().withLabels(Map.of(NodeGroups.NODE_POOL, "np-c")));
        replica.drain();
        replica.drainLater();
        assertThat(events("late")).hasSize(1);
    }

    /** "services 1" was taken for "services 12", which begins so, and not told. */
    @Test
    void aReasonWithWhichTheOneBeforeBeginsIsToldAtOnce() {
        Replica replica = started("cluster_cidr=10.10.0.0/24 node_cidr_mask_size=24");
        node("first");
        node("late");
        replica.drain();
        UnderWay.Waiting now = (UnderWay.Waiting) replica.rows().get("late");
        store.update(tx -> tx.put(
                        UnderWay.TABLE,
                        "late",
                        new UnderWay.Waiting(now.uid(), now.why() + "2", now.shares(), now.told())))
                .toCompletableFuture()
                .join();
        replica.drainLater();
        assertThat(replica.rows().get("late")).isEqualTo(now);
    }

    @Test
    void b17BlocksAreGivenInTurnAndHolesAreFilledAfterARestart() {
        Replica replica =
                started("cluster_cidr=10.234.0.0/16 node_cidr_mask_size=24 service_cluster_ip_range=10.96.0.0/16");
        for (String name : List.of("n1", "n2", "n3")) {
            node(name);
            replica.drain();
        }
        delete("n2");
        replica.drain();
        node("n4");
        replica.drain();
        assertThat(List.of(cidrs("n1"), cidrs("n3"), cidrs("n4")))
                .containsExactly(List.of("10.234.0.0/24"), List.of("10.234.2.0/24"), List.of("10.234.3.0/24"));
        replica.crash();
        replica.lead();
        node("n5");
        replica.drain();
        assertThat(cidrs("n5")).containsExactly("10.234.1.0/24");
    }

    /** Upstream leaves the fifth node alone until something of its own changes. */
    @Test
    void b19ANodeThatGotNothingGetsTheBlockThatBecomesFree() {
        Replica replica = started("cluster_cidr=10.10.0.0/22 node_cidr_mask_size=24");
        for (int i = 1; i <= 5; i++) {
            node("e" + i);
            replica.drain();
        }
        assertThat(cidrs("e4")).containsExactly("10.10.3.0/24");
        assertThat(cidrs("e5")).isEmpty();
        label("e5");
        replica.drain();
        replica.drainLater();
        assertThat(events("e5")).singleElement().satisfies(event -> {
            assertThat(event.warning()).isFalse();
            assertThat(event.source()).isEqualTo("cidrAllocator");
            assertThat(event.reason()).isEqualTo("CIDRNotAvailable");
            assertThat(event.message())
                    .startsWith("Node e5 status is now: CIDRNotAvailable: ")
                    .contains("of the 4 blocks of 10.10.0.0/22 in blocks of /24 nodes have 4, services 0");
        });
        clock.move(Duration.ofMinutes(11));
        replica.drainLater();
        assertThat(events("e5")).hasSize(2);
        delete("e2");
        replica.drain();
        assertThat(cidrs("e5")).containsExactly("10.10.1.0/24");
        assertThat(replica.rows()).isEmpty();
    }

    @Test
    void b22TheServicesTakeAPartOfTheClusterCidr() {
        Replica replica =
                started("cluster_cidr=10.96.0.0/22 node_cidr_mask_size=24 service_cluster_ip_range=10.96.0.0/23");
        node("g1");
        replica.drain();
        assertThat(cidrs("g1")).containsExactly("10.96.2.0/24");
    }

    @Test
    void b23DualStackGivesABlockOfEachFamily() {
        Replica replica = started("cluster_cidr=10.0.0.0/16,fd00:10::/56");
        node("h1");
        replica.drain();
        node("h2");
        replica.drain();
        assertThat(cidrs("h1")).containsExactly("10.0.0.0/24", "fd00:10::/64");
        assertThat(cidrs("h2")).containsExactly("10.0.1.0/24", "fd00:10:0:1::/64");
        assertThat(cluster.find(ObjectRef.node("h2")).orElseThrow().text("spec", "podCIDR"))
                .isEqualTo("10.0.1.0/24");
    }

    @Test
    void b23DualStackInTheOtherOrder() {
        Replica replica = started("cluster_cidr=fd00:10::/56,10.0.0.0/16");
        node("h1");
        replica.drain();
        assertThat(cidrs("h1")).containsExactly("fd00:10::/64", "10.0.0.0/24");
    }

    /** The bench has five thousand of them, on the host itself. */
    @Test
    void b28AThousandNodesAtOnceGetBlocksOfTheirOwnByOnePatchEach() {
        Replica replica = started("cluster_cidr=10.0.0.0/8 node_cidr_mask_size=24");
        IntStream.range(0, 1_000).forEach(i -> node("n" + i));
        replica.drain();
        assertThat(IntStream.range(0, 1_000).mapToObj(i -> cidrs("n" + i).get(0)))
                .hasSize(1_000)
                .doesNotHaveDuplicates();
        assertThat(requests()).hasSize(1_000);
        assertThat(replica.rows()).isEmpty();
    }

    // ---- beyond the table

    @Test
    void aNodeThatIsBeingDeletedKeepsItsBlocksUntilItIsGone() {
        Replica replica = started("cluster_cidr=10.0.0.0/24");
        cluster.put(ClusterObject.of(ObjectRef.node("n"), Map.of()).withFinalizers(List.of("a/b")));
        replica.drain();
        delete("n");
        node("m");
        replica.drain();
        assertThat(cidrs("m")).isEmpty();
        cluster.put(cluster.find(ObjectRef.node("n")).orElseThrow().withFinalizers(List.of()));
        replica.drain();
        assertThat(cidrs("m")).containsExactly("10.0.0.0/24");
    }

    /** Kubernetes 70957 and 90922: node-cidr-mask-size was changed. */
    @Test
    void blocksOfAnotherSizeAreOccupiedWhereTheyOverlap() {
        node("old", "10.0.0.0/23");
        node("older", "10.0.2.128/25");
        Replica replica = started("cluster_cidr=10.0.0.0/16 node_cidr_mask_size=24");
        node("n");
        replica.drain();
        assertThat(cidrs("n")).containsExactly("10.0.3.0/24");
    }

    /** Kubernetes 127792: nothing is given before all nodes are known. */
    @Test
    void aBlockThatAnotherNodeHasIsNotGivenWhateverIsListedFirst() {
        node("a");
        node("b", "10.0.0.0/24");
        Replica replica = started("cluster_cidr=10.0.0.0/16");
        assertThat(cidrs("a")).containsExactly("10.0.1.0/24");
        assertThat(replica.ready()).isTrue();
    }

    @Test
    void aPatchWhoseAnswerIsLostIsFoundToBeDone() {
        Replica replica = started("cluster_cidr=10.0.0.0/16");
        cluster.failNext(1, ErrorKind.DEADLINE_EXCEEDED, true);
        node("n");
        replica.drain();
        assertThat(cidrs("n")).containsExactly("10.0.0.0/24");
        assertThat(requests()).containsExactly("PATCH Node n");
    }

    /** Two controllers at work at once, as when --allocate-node-cidrs was forgotten. */
    @Test
    void aBlockThatAnotherControllerGaveMeanwhileIsNotWrittenToASecondNode() {
        Replica replica = started("cluster_cidr=10.0.0.0/16");
        node("n");
        List.copyOf(replica.queue).forEach(replica::reconcile);
        node("m", "10.0.0.0/24");
        replica.drain();
        replica.drainLater();
        assertThat(cidrs("n")).containsExactly("10.0.1.0/24");
        assertThat(events("n"))
                .singleElement()
                .satisfies(event -> assertThat(event.message())
                        .isEqualTo(
                                "Node n status is now: CIDRAssignmentFailed: [10.0.0.0/24] overlaps what node m has"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasUnderWayWhenTheProcessEndedIsCarriedOutAfterIt(boolean performed) {
        Replica replica = started("cluster_cidr=10.0.0.0/16");
        node("n");
        replica.reconcile("n");
        if (performed) {
            cluster.failNext(1, ErrorKind.UNAVAILABLE, false);
            replica.due().forEach(replica::perform);
        }
        replica.crash();
        node("m");
        replica.lead();
        replica.drain();
        assertThat(cidrs("n")).containsExactly("10.0.0.0/24");
        assertThat(cidrs("m")).containsExactly("10.0.1.0/24");
    }

    /** An earlier leader may have sent a patch that arrives late: what fails for certain now says nothing about that one. */
    @Test
    void blocksThatAnEarlierTermFoundAreNotGivenUpWhateverFails() {
        Replica replica = started("cluster_cidr=10.0.0.0/23");
        node("n");
        replica.reconcile("n");
        replica.crash();
        replica.lead();
        cluster.failNext(3, ErrorKind.UNAVAILABLE, false);
        for (int i = 0; i < 3; i++) {
            List.copyOf(replica.queue).forEach(replica::reconcile);
            replica.due().forEach(replica::perform);
        }
        assertThat(events("n"))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.message()).contains("CIDRAssignmentFailed: [10.0.0.0/24] is kept for it: "));
        node("m");
        replica.drain();
        assertThat(List.of(cidrs("n"), cidrs("m"))).containsExactly(List.of("10.0.0.0/24"), List.of("10.0.1.0/24"));
    }
}

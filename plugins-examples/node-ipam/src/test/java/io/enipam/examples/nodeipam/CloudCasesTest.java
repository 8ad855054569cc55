package io.enipam.examples.nodeipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
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

/** Cases of the acceptance table, part C, and those of part B that are the cloud's: nodes whose blocks the cloud has to lead to them. */
class CloudCasesTest {
    private static final String CLUSTER = "IPAMFromCluster";
    private static final String CLOUD = "IPAMFromCloud";
    private static final String ALLOCATOR = "CloudAllocator";
    private static final String RANGE = "10.1.0.0/16";

    private final FakeCluster cluster = new FakeCluster();
    private final FakeRoutes routes = new FakeRoutes();
    private final InMemoryJournal store = new InMemoryJournal();
    private final TestClock clock = TestClock.at(Instant.parse("2026-01-02T03:04:05Z"));
    private final List<Replica> replicas = new ArrayList<>();

    @AfterEach
    void close() {
        replicas.forEach(Replica::close);
    }

    private Replica started(String type) {
        Map<String, List<String>> settings = new HashMap<>(Map.of("cidr_allocator_type", List.of(type)));
        settings.put("route_table", List.of(FakeRoutes.TABLE));
        settings.put("cluster_cidr", List.of(RANGE));
        return started(settings);
    }

    private Replica started(Map<String, List<String>> settings) {
        // gets nothing, and is the one that the controller marks
        cluster.put(ClusterObject.of(ObjectRef.node("leaving"), Map.of()).withFinalizers(List.of("a/b")));
        cluster.remove(ObjectRef.node("leaving"));
        Replica replica =
                new Replica(store, cluster, settings, clock, host -> host.service(Cloud.class, routes.cloud()));
        replicas.add(replica);
        replica.lead();
        replica.drain();
        return replica;
    }

    /** The cloud is listed again. */
    private static void listed(Replica replica) {
        replica.unwatch();
        replica.watch();
        replica.drain();
    }

    /** A node of the name, on an instance of the name. */
    private void node(String name, String... podCidrs) {
        Map<String, Object> spec = new HashMap<>(Map.of("providerID", "cn-hangzhou.i-" + name));
        if (podCidrs.length > 0) {
            spec.putAll(Map.of("podCIDR", podCidrs[0], "podCIDRs", List.of(podCidrs)));
        }
        cluster.put(ClusterObject.of(ObjectRef.node(name), Map.of("spec", spec)));
    }

    private ClusterObject found(String name) {
        return cluster.find(ObjectRef.node(name)).orElseThrow();
    }

    private List<String> cidrs(String name) {
        return found(name).texts("spec", "podCIDRs");
    }

    private String condition(String name) {
        return found(name).at("status", "conditions").stream()
                .flatMap(all -> ((List<?>) all).stream())
                .map(each -> (Map<?, ?>) each)
                .filter(each -> "NetworkUnavailable".equals(each.get("type")))
                .map(each -> each.get("status") + " " + each.get("reason") + " " + each.get("message"))
                .findFirst()
                .orElse("none");
    }

    private static final String CREATED = "False RouteCreated NodeController create implicit route";

    private List<String> events(String name) {
        return cluster.events(ObjectRef.node(name)).stream()
                .map(ClusterEvent::reason)
                .toList();
    }

    private static List<Subnet> held(Replica replica, String node) {
        return replica.part.blocks().heldBy(Owner.node(node));
    }

    // ---- the rows

    @Test
    void c1ANodeThatIsNotThereEndsIt() {
        Replica replica = started(ALLOCATOR);
        replica.reconcile("none");
        assertThat(replica.queue).isEmpty();
        assertThat(replica.later).isEmpty();
        assertThat(replica.idle()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {CLOUD, CLUSTER, ALLOCATOR})
    void c4WhatIsTheSameOnBothSidesIsNoEvent(String type) {
        node("n", "10.1.1.0/24");
        routes.put("10.1.1.0/24", "i-n");
        started(type);
        assertThat(events("n")).isEmpty();
        assertThat(routes.calls()).doesNotContain("add 10.1.1.0/24 i-n");
        assertThat(condition("n")).isEqualTo(CREATED);
    }

    @ParameterizedTest
    @ValueSource(strings = {CLOUD, CLUSTER})
    void whatDiffersIsAnEventAndNothingIsChanged(String type) {
        node("n", "10.1.1.0/24");
        routes.put("10.1.2.0/24", "i-n");
        Replica replica = started(type);
        replica.drainLater();
        assertThat(events("n")).containsExactly("CloudCIDRAllocatorMismatch");
        assertThat(routes.routes()).containsExactly("10.1.2.0/24 i-n");
        assertThat(cidrs("n")).containsExactly("10.1.1.0/24");
        assertThat(condition("n")).isEqualTo("none");
    }

    @Test
    void c6APodCidrWithoutAnAliasIsWrongInModeCloud() {
        node("n", "10.1.1.0/24");
        Replica replica = started(CLOUD);
        assertThat(events("n")).containsExactly("CloudCIDRAllocatorInvalidMode");
        assertThat(replica.later).contains("n");
        assertThat(routes.routes()).isEmpty();
    }

    @Test
    void c6APodCidrWithoutAnAliasBecomesOneInModeCluster() {
        node("n", "10.1.1.0/24");
        started(CLUSTER);
        assertThat(events("n")).isEmpty();
        assertThat(routes.routes()).containsExactly("10.1.1.0/24 i-n");
        assertThat(condition("n")).isEqualTo(CREATED);
    }

    @Test
    void c7AnAliasIsWrittenToTheNodeInModeCloud() {
        node("n");
        routes.put("10.1.2.3/24", "i-n");
        started(CLOUD);
        assertThat(cidrs("n")).containsExactly("10.1.2.0/24");
        assertThat(events("n")).isEmpty();
        assertThat(condition("n")).isEqualTo(CREATED);
    }

    @Test
    void c7AnAliasIsWrongInModeCluster() {
        node("n");
        routes.put("10.1.2.3/24", "i-n");
        Replica replica = started(CLUSTER);
        assertThat(cidrs("n")).isEmpty();
        assertThat(events("n")).containsExactly("CloudCIDRAllocatorInvalidMode");
        assertThat(replica.later).contains("n");
    }

    @Test
    void neitherIsABlockOfTheClusterInModeClusterAndWrongInModeCloud() {
        node("n");
        Replica replica = started(CLUSTER);
        assertThat(cidrs("n")).containsExactly("10.1.0.0/24");
        assertThat(routes.routes()).containsExactly("10.1.0.0/24 i-n");
        assertThat(condition("n")).isEqualTo(CREATED);
        replica.close();

        node("m");
        Replica other = started(CLOUD);
        assertThat(events("m")).containsExactly("CloudCIDRAllocatorInvalidMode");
        assertThat(other.later).contains("m");
    }

    @Test
    void c9ANodeIsLookedAtAsItIsWhateverTheKeyWasToldFor() {
        node("n", "10.1.1.0/24");
        Replica replica = started(CLUSTER);
        replica.reconcile("n");
        replica.drain();
        assertThat(routes.routes()).containsExactly("10.1.1.0/24 i-n");
        assertThat(replica.later).doesNotContain("n");
    }

    @Test
    void c10ADeletedNodesBlockIsFreeAndItsRouteIsRemoved() {
        node("with", "10.1.1.0/24");
        Replica replica = started(CLUSTER);
        assertThat(held(replica, "with")).hasSize(1);
        cluster.remove(ObjectRef.node("with"));
        replica.drain();
        assertThat(held(replica, "with")).isEmpty();
        assertThat(routes.routes()).isEmpty();
    }

    @Test
    void c10ADeletedNodeWithoutABlockLeavesNothing() {
        cluster.put(ClusterObject.of(ObjectRef.node("without"), Map.of()));
        Replica replica = started(CLUSTER);
        cluster.remove(ObjectRef.node("without"));
        replica.drain();
        assertThat(held(replica, "without")).isEmpty();
        assertThat(routes.calls()).containsOnly("list");
    }

    @ParameterizedTest
    @ValueSource(strings = {CLUSTER, CLOUD})
    void c10APodCidrThatCannotBeReadIsToldAndItsDeletionDoesNoHarm(String type) {
        node("invalid", "10.1.1.256/24");
        Replica replica = started(type);
        assertThat(events("invalid")).containsExactly("CloudCIDRAllocatorInvalidPodCIDR");
        cluster.remove(ObjectRef.node("invalid"));
        replica.drain();
        assertThat(replica.idle()).isTrue();
        assertThat(replica.lost()).isEmpty();
    }

    @ParameterizedTest(name = "b26 {0} {1} {2}")
    @CsvSource({
        "ii, CloudAllocator, 10.0.0.0/21, '', ''",
        "ii, IPAMFromCluster, 10.0.0.0/21, '', ''",
        "ii, IPAMFromCloud, 10.0.0.0/21, '', ''",
        "ii, CloudAllocator, invalid, '', ''",
        "ii, CloudAllocator, 10.0.0.0/26, '', ''",
        "iii, IPAMFromCluster, invalid, '', invalid CIDR",
        "iii, IPAMFromCloud, 10.0.0.0/26, '', mask size",
        "iii, IPAMFromCluster, 10.0.0.0/23, 10.0.0.0/21, no block is left",
        "iii, IPAMFromCluster, 10.0.0.0/24, 10.0.0.128/25, no block is left"
    })
    void b26WhatIsFatalKeepsThePluginFromOpening(String part, String type, String range, String services, String why) {
        Map<String, List<String>> settings = new HashMap<>();
        settings.put("cidr_allocator_type", List.of(type));
        settings.put("cluster_cidr", List.of(range));
        settings.put("route_table", List.of(FakeRoutes.TABLE));
        settings.put("service_cluster_ip_range", services.isEmpty() ? List.of() : List.of(services));
        if (why.isEmpty()) {
            assertThat(started(settings).ready()).isTrue();
        } else {
            assertThatThrownBy(() -> started(settings)).hasMessageContaining(why);
        }
    }

    @Test
    void theAllocatorsOfTheCloudNeedARouteTable() {
        assertThatThrownBy(() -> started(Map.of("cidr_allocator_type", List.of(ALLOCATOR))))
                .hasMessageContaining("route_table is not set");
    }

    @Test
    void aRouteTableThatIsNotThereIsSaidAndNothingIsDecided() {
        node("n");
        Replica replica =
                started(Map.of("cidr_allocator_type", List.of(ALLOCATOR), "route_table", List.of("vtb-none")));
        assertThat(replica.lost())
                .hasValue("what the cloud leads to the nodes cannot be listed: InvalidRouteTableId.NotFound");
        assertThat(replica.ready()).isFalse();
    }

    // ---- CloudAllocator

    @Test
    void aNodeOfCloudAllocatorGetsItsFirstAliasWhereverItIsAndItsCondition() {
        node("n");
        routes.put("0.0.0.0/0", "i-n");
        routes.put("172.16.5.0/24", "i-n");
        routes.put("172.16.6.0/24", "i-n");
        started(ALLOCATOR);
        assertThat(cidrs("n")).containsExactly("172.16.5.0/24");
        assertThat(condition("n")).isEqualTo(CREATED);
    }

    @Test
    void aNodeWithoutAProviderIdIsToldWhy() {
        cluster.put(ClusterObject.of(ObjectRef.node("n"), Map.of()));
        Replica replica = started(ALLOCATOR);
        assertThat(cluster.events(ObjectRef.node("n"))).singleElement().satisfies(event -> {
            assertThat(event.source()).isEqualTo("cidrAllocator");
            assertThat(event.warning()).isFalse();
            assertThat(event.message())
                    .isEqualTo("Node n status is now: CIDRNotAvailable: node n doesn't have providerID");
        });
        assertThat(replica.later).contains("n");
    }

    @Test
    void aNodeOfCloudAllocatorThatHasNoAliasYetGetsItWhenThereIsOne() {
        node("n");
        Replica replica = started(ALLOCATOR);
        assertThat(events("n")).containsExactly("CIDRNotAvailable");
        routes.put("10.1.7.0/24", "i-n");
        listed(replica);
        assertThat(cidrs("n")).containsExactly("10.1.7.0/24");
        assertThat(condition("n")).isEqualTo(CREATED);
        assertThat(events("n")).hasSize(1);
    }

    @Test
    void anotherAliasThanThePodCidrOfANodeWithoutANetworkIsAFailedAssignment() {
        node("n", "10.1.1.0/24");
        routes.put("10.1.2.0/24", "i-n");
        Replica replica = started(ALLOCATOR);
        replica.drainLater();
        assertThat(events("n")).containsExactly("CIDRAssignmentFailed");
        assertThat(condition("n")).isEqualTo("none");
        clock.move(Duration.ofMinutes(10));
        replica.drainLater();
        assertThat(events("n")).as("told again after ten minutes").hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"True, true", "Unknown, true", "False, false"})
    void onlyANodeWhoseConditionSaysThatItHasANetworkIsLeftAlone(String status, boolean set) {
        Map<String, Object> spec = Map.of(
                "providerID",
                "alicloud://cn-hangzhou.i-n",
                "podCIDR",
                "10.1.1.0/24",
                "podCIDRs",
                List.of("10.1.1.0/24"));
        Map<String, Object> condition =
                Map.of("type", "NetworkUnavailable", "status", status, "reason", "Other", "message", "");
        cluster.put(ClusterObject.of(
                ObjectRef.node("n"), Map.of("spec", spec, "status", Map.of("conditions", List.of(condition)))));
        routes.put("10.1.1.0/24", "i-n");
        started(ALLOCATOR);
        assertThat(condition("n")).isEqualTo(set ? CREATED : "False Other ");
    }

    @ParameterizedTest
    @CsvSource({"true, CIDRNotAvailable", "false, ''"})
    void aTaintedNodeIsLookedAtThoughItsConditionIsRight(boolean tainted, String event) {
        Map<String, Object> spec = new HashMap<>(
                Map.of("providerID", "cn-hangzhou.i-n", "podCIDR", "10.1.1.0/24", "podCIDRs", List.of("10.1.1.0/24")));
        if (tainted) {
            spec.put(
                    "taints", List.of(Map.of("key", "node.kubernetes.io/network-unavailable", "effect", "NoSchedule")));
        }
        Map<String, Object> condition =
                Map.of("type", "NetworkUnavailable", "status", "False", "reason", "Other", "message", "");
        cluster.put(ClusterObject.of(
                ObjectRef.node("n"), Map.of("spec", spec, "status", Map.of("conditions", List.of(condition)))));
        started(ALLOCATOR);
        assertThat(events("n")).isEqualTo(event.isEmpty() ? List.of() : List.of(event));
    }

    // ---- IPAMFromCluster

    @Test
    void aBlockWhoseRouteCannotBeAddedStaysTheNodes() {
        Replica replica = started(CLUSTER);
        routes.failNext(3, ErrorKind.QUOTA_EXHAUSTED);
        node("n");
        replica.drain();
        assertThat(cidrs("n")).containsExactly("10.1.0.0/24");
        assertThat(events("n")).containsExactly("CIDRAssignmentFailed");
        assertThat(routes.routes()).containsExactly("10.1.0.0/24 i-n");
        node("m");
        replica.drain();
        assertThat(cidrs("m")).containsExactly("10.1.1.0/24");
    }

    @Test
    void aRouteThatAnotherClientRemovedIsAddedAgain() {
        node("n");
        Replica replica = started(CLUSTER);
        routes.drop("10.1.0.0/24");
        listed(replica);
        assertThat(routes.routes()).containsExactly("10.1.0.0/24 i-n");
    }

    @Test
    void theRouteOfANodeThatWentWhileNoReplicaLedIsRemoved() {
        node("n");
        node("m");
        Replica replica = started(CLUSTER);
        replica.crash();
        cluster.remove(ObjectRef.node("n"));
        replica.lead();
        replica.drain();
        assertThat(routes.routes()).containsExactly(cidrs("m").get(0) + " i-m");
    }

    @Test
    void aNodeThatRegistersAnewOnItsInstanceGetsABlockAndIsNoMistake() {
        node("n");
        Replica replica = started(CLUSTER);
        cluster.remove(ObjectRef.node("n"));
        node("n");
        replica.drain();
        assertThat(routes.routes()).containsExactly(cidrs("n").get(0) + " i-n");
        assertThat(events("n")).isEmpty();
        assertThat(condition("n")).isEqualTo(CREATED);
    }

    @Test
    void aBlockIsLedToItsNextNodeWhenTheRouteOfTheFormerOneIsGone() {
        IntStream.range(0, 256).forEach(i -> node("n" + i));
        Replica replica = started(CLUSTER);
        node("next");
        replica.drain();
        assertThat(cidrs("next")).isEmpty();
        String free = cidrs("n7").get(0);
        cluster.remove(ObjectRef.node("n7"));
        replica.drain();
        assertThat(cidrs("next")).containsExactly(free);
        assertThat(routes.routes()).contains(free + " i-next").hasSize(256);
    }

    @Test
    void theCloudIsListedOnceForAllNodes() {
        IntStream.range(0, 200).forEach(i -> node("n" + i));
        started(CLUSTER);
        assertThat(routes.calls().stream().filter("list"::equals)).hasSize(1);
        assertThat(routes.routes()).hasSize(200);
    }

    @Test
    void aConditionThatCannotBeSetIsSetLater() {
        node("n", "10.1.1.0/24");
        routes.put("10.1.1.0/24", "i-n");
        Replica replica = started(CLUSTER);
        Map<String, Object> condition = Map.of("type", "NetworkUnavailable", "status", "True");
        ClusterObject now = found("n");
        Map<String, Object> body = new HashMap<>(now.body());
        body.put("status", Map.of("conditions", List.of(condition)));
        cluster.put(ClusterObject.of(now.ref(), body));
        replica.reconcile("n");
        cluster.failNext(2, ErrorKind.UNAVAILABLE, false);
        replica.drain();
        assertThat(condition("n")).isEqualTo(CREATED);
    }
}

package io.enipam.examples.nodeipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What users of Kubernetes' allocators, of node-ipam-controller and of cilium ran into. */
class UserStoriesTest extends MultiCidrCluster {
    private static final Map<String, String> A = Map.of("pool", "a");
    private static final Map<String, String> B = Map.of("pool", "b");

    private void requireDisjoint(String... nodes) {
        List<Subnet> all = new ArrayList<>();
        for (String node : nodes) {
            for (String text : cidrs(node)) {
                Subnet cidr = Subnet.parse(text);
                assertThat(all).noneMatch(other -> other.contains(cidr.first()) || cidr.contains(other.first()));
                all.add(cidr);
            }
        }
    }

    /** Kubernetes 127792: with the start of the controller manager a node got a podCIDR that another one had. */
    @Test
    void kubernetes127792ANodeGotABlockThatAnotherOneHadWhileTheControllerStarted() {
        clusterCidr("a", 8, "10.1.0.0/22", "", Map.of());
        node("new-1", Map.of());
        node("old-1", Map.of(), "10.1.0.0/24");
        node("new-2", Map.of());
        node("old-2", Map.of(), "10.1.2.0/24");

        started();

        assertThat(List.of(cidrs("new-1"), cidrs("new-2")))
                .containsExactlyInAnyOrder(List.of("10.1.1.0/24"), List.of("10.1.3.0/24"));
        requireDisjoint("new-1", "old-1", "new-2", "old-2");
    }

    /** The same where the watch breaks, and what other writers do meanwhile is not heard. */
    @Test
    void kubernetes127792NoBlockIsGivenWhileTheWatchIsBroken() {
        clusterCidr("a", 8, "10.1.0.0/22", "", Map.of());
        started();
        cluster.breakWatches();
        node("by-another", Map.of(), "10.1.0.0/24");
        node("new", Map.of());
        assertThat(leader.ready()).isFalse();

        leader.unwatch();
        cluster.restoreWatches();
        leader.watch();
        leader.drain();

        assertThat(cidrs("new")).containsExactly("10.1.1.0/24");
    }

    /** Kubernetes 70957: after node-cidr-mask-size was changed, new blocks overlapped with those that nodes had. */
    @Test
    void kubernetes70957AfterAChangeOfTheBlocksSizeNewBlocksOverlappedWithOldOnes() {
        clusterCidr("of-24", 8, "10.1.0.0/22", "", A);
        started();
        node("old-1", A);
        node("old-2", A);
        leader.drain();

        clusterCidr("of-26", 6, "10.1.0.0/22", "", B);
        clusterCidr("of-23", 9, "10.1.0.0/22", "", Map.of("pool", "c"));
        node("small", B);
        node("large", Map.of("pool", "c"));
        leader.drain();

        assertThat(cidrs("small")).containsExactly("10.1.2.0/26");
        assertThat(cidrs("large")).as("each /23 has something of another node").isEmpty();
        requireDisjoint("old-1", "old-2", "small");
    }

    /** Kubernetes 90922: the same after a restart, when the nodes have blocks of another size than the configuration says. */
    @Test
    void kubernetes90922AfterARestartBlocksOfAnotherSizeWereTakenForFree() {
        clusterCidr("of-26", 6, "10.1.0.0/23", "", Map.of());
        node("old-1", Map.of(), "10.1.0.0/24");
        node("old-2", Map.of(), "10.1.1.128/27");
        node("new-1", Map.of());
        node("new-2", Map.of());
        node("new-3", Map.of());

        started();

        requireDisjoint("old-1", "old-2", "new-1", "new-2", "new-3");
        assertThat(List.of(cidrs("new-1"), cidrs("new-2"), cidrs("new-3")))
                .containsExactlyInAnyOrder(List.of("10.1.1.0/26"), List.of("10.1.1.64/26"), List.of("10.1.1.192/26"));
        cluster.remove(nodeRef("old-1"));
        leader.drain();
        assertThat(taken("of-26")).isEqualTo(4);
    }

    /** Kubernetes 85866: a node had the event CIDRNotAvailable, and there was no word of why. */
    @Test
    void kubernetes85866TheEventSaidNothingOfWhichRangeWasFull() {
        clusterCidr("a", 8, "10.1.0.0/23", "", A);
        started("service_cluster_ip_range=10.1.1.0/24");
        node("n1", A);
        node("n2", A);
        node("n3", B);
        leader.drain();

        String full =
                "Node n2 status is now: CIDRNotAvailable: ClusterCIDR a: 10.1.0.0/23 in blocks of /24 is full: of its 2"
                        + " blocks nodes have 1, services 1";
        String none =
                "Node n3 status is now: CIDRNotAvailable: none of the 1 ClusterCIDRs is for a node with the labels of n3";
        assertThat(cluster.events(nodeRef("n2")).stream().map(ClusterEvent::message))
                .containsExactly(full);
        assertThat(cluster.events(nodeRef("n3")).stream().map(ClusterEvent::message))
                .containsExactly(none);
    }

    /** node-ipam-controller 17: a ClusterCIDR that was made later was not used before the controller was restarted. */
    @Test
    void nodeIpamController17AClusterCidrMadeLaterWasNotUsedBeforeARestart() {
        clusterCidr("a", 8, "10.1.0.0/24", "", Map.of());
        started();
        node("n1", Map.of());
        node("n2", Map.of());
        leader.drain();
        assertThat(cidrs("n2")).isEmpty();

        clusterCidr("b", 8, "10.2.0.0/16", "", Map.of());
        leader.drain();

        assertThat(cidrs("n2")).containsExactly("10.2.0.0/24");
    }

    /** node-ipam-controller 18: may the blocks of two ClusterCIDRs overlap? No block does, whatever the ranges do. */
    @Test
    void nodeIpamController18BlocksOfClusterCidrsThatOverlapAreGivenOnce() {
        clusterCidr("a", 8, "10.1.0.0/22", "fd00::/118", A);
        clusterCidr("b", 8, "10.1.0.0/22", "fd00::/118", B);
        clusterCidr("all", 7, "10.1.0.0/21", "fd00::/117", Map.of());
        started();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            node("a" + i, A);
            node("b" + i, B);
            node("c" + i, Map.of());
            names.addAll(List.of("a" + i, "b" + i, "c" + i));
            leader.drain();
        }

        assertThat(names).allSatisfy(name -> assertThat(cidrs(name)).hasSize(2));
        requireDisjoint(names.toArray(String[]::new));
    }

    /** node-ipam-controller 44: the metric of usage went up and down while nodes had blocks of the controller manager. */
    @Test
    void nodeIpamController44TheNumberOfTakenBlocksFluctuatedWhileNodesWereMigrated() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        node("migrated", Map.of(), "10.1.7.0/24");
        node("twice-the-size", Map.of(), "10.1.8.0/23");
        node("elsewhere", Map.of(), "172.16.0.0/24");
        started();
        node("new", Map.of());
        leader.drain();
        assertThat(taken("a")).isEqualTo(4);

        for (int i = 0; i < 10; i++) {
            for (String name : List.of("migrated", "twice-the-size", "elsewhere", "new")) {
                cluster.put(
                        cluster.find(nodeRef(name)).orElseThrow().withLabels(Map.of("heartbeat", Integer.toString(i))));
                assertThat(taken("a")).isEqualTo(4);
                leader.drain();
                assertThat(taken("a")).isEqualTo(4);
            }
        }
        cluster.remove(nodeRef("elsewhere"));
        cluster.remove(nodeRef("twice-the-size"));
        leader.drain();
        assertThat(taken("a")).isEqualTo(2);
    }

    /** cilium 17277: after a restart of the operator nodes had the same podCIDR. */
    @Test
    void cilium17277NodesWithTheSameBlockAreSaidAndKeepItUntilBothAreGone() {
        clusterCidr("a", 8, "10.1.0.0/23", "", Map.of());
        node("n1", Map.of(), "10.1.0.0/24");
        node("n2", Map.of(), "10.1.0.0/24");
        started();
        node("n3", Map.of());
        node("n4", Map.of());
        leader.drain();
        assertThat(List.of(cidrs("n3"), cidrs("n4"))).containsExactlyInAnyOrder(List.of("10.1.1.0/24"), List.of());
        String waits = cidrs("n3").isEmpty() ? "n3" : "n4";

        cluster.remove(nodeRef("n1"));
        leader.drain();
        leader.drainLater();
        assertThat(cidrs(waits)).as("the other one has it still").isEmpty();

        cluster.remove(nodeRef("n2"));
        leader.drain();
        assertThat(cidrs(waits)).containsExactly("10.1.0.0/24");
    }
}

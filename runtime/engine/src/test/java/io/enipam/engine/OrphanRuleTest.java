package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** No living pod's address is taken, whatever the API server seems to say. */
class OrphanRuleTest {
    /** As the kubelet makes them of a file. */
    private static final String STATIC_UID = "7b1e6d2f7a4c4b0e9d3f5a6c8e0b1d2f";

    @Test
    void anApiServerThatIsNotThisNodesTakesNoAddress() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.pods.remove("default/a");
        node.pods.ofAnotherNode(true);

        GcReport report = collect(node);

        assertThat(report.collected()).isEmpty();
        assertThat(report.problems()).singleElement().asString().contains("no such node");
        assertThat(node.rows()).containsExactly("c-a");
        node.pods.ofAnotherNode(false);
        assertThat(collect(node).collected()).hasSize(1);
    }

    @Test
    void thePodOfALeaseThatIsOnAnotherNodeProvesThatThisNodeHasAWrongName() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.pods.elsewhere("default/a", "cn-hangzhou.10.0.0.7");

        GcReport report = collect(node);

        assertThat(report.problems())
                .singleElement()
                .asString()
                .contains("default/a", "cn-hangzhou.10.0.0.7", "goes by another's name");
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void aStatefulSetsPodThatMovedIsGoneFromHere() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/db-0", "c-db");
        node.pods.put("default/db-0", "another-uid", false, Duration.ZERO);
        node.pods.elsewhere("default/db-0", "node-2");

        assertThat(collect(node).collected())
                .singleElement()
                .extracting(GcReport.Collected::reason)
                .asString()
                .contains("node-2");
    }

    @Test
    void aLeaseWhoseUidNobodyToldGoesByTheAddressThatThePodHasElsewhere() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.down(true);
        Lease lease =
                node.adding("default/a", "c-a", Duration.ofSeconds(10)).join().lease();
        node.pods.down(false);
        node.pods.put("default/a");
        node.pods.elsewhere("default/a", "node-2");

        assertThat(collect(node).collected()).as("it has no address yet").isEmpty();
        node.pods.addressed("default/a", addresses(lease));
        assertThat(collect(node).problems()).hasSize(1);
        assertThat(node.rows()).containsExactly("c-a");
        node.pods.addressed("default/a", List.of(Address.literal("192.0.2.1")));
        assertThat(collect(node).collected()).hasSize(1);
    }

    @Test
    void aStaticPodWhoseMirrorIsDeletedKeepsItsAddressAsLongAsItsSandboxIsThere() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("kube-system/proxy-node-1", STATIC_UID, false, Duration.ZERO);
        Lease lease = node.adding("kube-system/proxy-node-1", "c-p", Duration.ofSeconds(10))
                .join()
                .lease();
        node.pods.remove("kube-system/proxy-node-1");

        node.time.advance(Duration.ofHours(3));
        assertThat(node.rows()).containsExactly("c-p");
        node.kernel.tearDown(lease.owner());
        assertThat(collect(node).collected()).hasSize(1);
    }

    @Test
    void aMirrorsOwnUidMakesNoOtherPodOfAStaticOne() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("kube-system/p", "0f8fad5b-d9cb-469f-a165-70867728950e", false, Duration.ZERO);
        node.adding("kube-system/p", "c-p", Duration.ofSeconds(10)).join();
        node.pods.put("kube-system/p", STATIC_UID, false, Duration.ZERO);

        assertThat(collect(node).collected()).isEmpty();
        assertThat(node.rows()).containsExactly("c-p");
    }

    @Test
    void aPodWhoseUidNobodyToldIsMissedForAWhileBeforeItIsGone() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.down(true);
        node.adding("kube-system/p", "c-p", Duration.ofSeconds(10)).join();
        node.time.advance(Duration.ofHours(2));
        node.pods.down(false);

        collect(node);
        assertThat(node.rows()).as("its mirror may be on its way").containsExactly("c-p");
        node.pods.put("kube-system/p", STATIC_UID, false, Duration.ZERO);
        node.time.advance(Duration.ofMinutes(20));
        assertThat(node.rows()).containsExactly("c-p");

        node.pods.down(true);
        node.adding("default/q", "c-q", Duration.ofSeconds(10)).join();
        node.pods.down(false);
        node.time.advance(Duration.ofMinutes(20));
        assertThat(node.rows()).containsExactly("c-p");
    }

    @Test
    void aSandboxWithoutANameIsNotJudgedByAListThatMayBeOld() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        node.pods.freezeList();
        Lease lease = node.add("default/a", "c-a");
        node.pods.addressed("default/a", addresses(lease));
        node.kernel.tellPods(false);
        node.crash();
        node.db.lose();
        node.start();
        assertThat(node.engine.leases())
                .singleElement()
                .satisfies(
                        unknown -> assertThat(PlaceholderPod.is(unknown.pod())).isTrue());

        node.time.advance(Duration.ofHours(1));
        assertThat(node.kernel.connected()).hasSize(1);
        node.pods.remove("default/a");
        node.time.advance(Duration.ofMinutes(10));
        assertThat(node.kernel.connected()).isEmpty();
    }

    @Test
    void whereMostPodsSeemToBeGoneTheyAreAskedForOnceMoreAfterAWhile() {
        EngineFixture node = EngineFixture.started(20, 0, 20);
        for (int i = 0; i < 10; i++) {
            node.add("default/a-" + i, "c-" + i);
            node.pods.remove("default/a-" + i);
        }
        node.pods.recheckDelay(Duration.ofSeconds(30));

        CompletableFuture<GcReport> report = node.engine.collect(false);
        node.time.settle();
        assertThat(node.rows()).hasSize(10);
        assertThat(node.events.types()).contains("ManyPodsGone");
        for (int i = 0; i < 9; i++) {
            node.pods.put("default/a-" + i);
        }
        node.time.advance(Duration.ofSeconds(30));

        assertThat(report.join().collected()).hasSize(1);
        assertThat(node.rows()).hasSize(9).doesNotContain("c-9");
    }

    @Test
    void anOrphanOfAnOutageEndsThoughAnotherPodHasItsNameOnceTheKernelHasNoSandboxOfIt() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.down(true);
        Lease orphan = node.adding("default/db-0", "c-old", Duration.ofSeconds(10))
                .join()
                .lease();
        node.pods.down(false);
        Lease living = node.add("default/db-0", "c-new");
        node.pods.addressed("default/db-0", addresses(living));

        assertThat(collect(node).spared()).singleElement().satisfies(spared -> {
            assertThat(spared.lease()).isEqualTo(orphan);
            assertThat(spared.decision().reason()).contains("has another address", "no UID");
            assertThat(spared.decision().until()).contains(node.time.now().plus(Duration.ofMinutes(10)));
        });
        node.time.advance(Duration.ofMinutes(30));
        assertThat(node.rows()).as("its sandbox is connected").containsExactly("c-new", "c-old");
        assertThat(collect(node).spared())
                .singleElement()
                .extracting(spared -> spared.decision().reason())
                .asString()
                .contains("its sandbox is connected");

        node.kernel.tearDown(orphan.owner());
        assertThat(collect(node).collected()).hasSize(1);
        assertThat(node.rows()).containsExactly("c-new");
    }

    @Test
    void aClockThatJumpsAheadShortensNoGraceAndOneThatJumpsBackLengthensNone() {
        for (Duration jump : List.of(Duration.ofHours(8), Duration.ofHours(-8))) {
            EngineFixture node = EngineFixture.started(3, 0, 5);
            node.pods.down(true);
            node.adding("kube-system/p", "c-p", Duration.ofSeconds(10)).join();
            node.pods.put("kube-system/s", STATIC_UID, false, Duration.ZERO);
            node.pods.down(false);
            Lease of = node.adding("kube-system/s", "c-s", Duration.ofSeconds(10))
                    .join()
                    .lease();
            node.kernel.tearDown(of.owner());
            node.pods.remove("kube-system/s");
            collect(node);

            node.time.setClock(jump);
            node.time.advance(Duration.ofMinutes(9));
            assertThat(collect(node).spared()).as("9 minutes after it").hasSize(2);
            assertThat(node.rows()).containsExactly("c-p", "c-s");
            node.time.advance(Duration.ofMinutes(1));
            collect(node);
            assertThat(node.rows()).as("10 minutes after it").isEmpty();
        }
    }

    @Test
    void whatADryRunAndADecisionSayIsWhatTheCollectionDoes() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.down(true);
        Lease lease =
                node.adding("default/a", "c-a", Duration.ofSeconds(10)).join().lease();
        node.pods.down(false);

        OrphanDecision first = decision(node, lease);
        assertThat(first).isInstanceOf(OrphanDecision.Spared.class);
        CompletableFuture<GcReport> dry = node.engine.collect(true);
        node.time.settle();
        assertThat(dry.join().spared())
                .extracting(GcReport.Spared::decision)
                .as("the same rule")
                .isEqualTo(List.of(first));
        assertThat(collect(node).spared()).extracting(GcReport.Spared::decision).isEqualTo(List.of(first));

        node.time.advance(Duration.ofMinutes(3));
        assertThat(decision(node, lease)).as("nothing begins anew").isEqualTo(first);
        node.pods.put("default/a");
        assertThat(decision(node, lease)).isEqualTo(new OrphanDecision.Kept());
        node.pods.put("default/a", "uid", true, Duration.ZERO);
        assertThat(decision(node, lease)).isEqualTo(new OrphanDecision.Orphan("the pod has finished"));
        assertThat(collect(node).collected())
                .extracting(GcReport.Collected::reason)
                .containsExactly("the pod has finished");
    }

    private static OrphanDecision decision(EngineFixture node, Lease lease) {
        CompletableFuture<Optional<OrphanDecision>> decision = node.engine.decide(lease.owner());
        node.time.settle();
        return decision.join().orElseThrow();
    }

    private static List<InetAddress> addresses(Lease lease) {
        return lease.resource().addresses().stream().map(Address::ip).toList();
    }

    private static GcReport collect(EngineFixture node) {
        CompletableFuture<GcReport> report = node.engine.collect(false);
        node.time.settle();
        return report.join();
    }
}

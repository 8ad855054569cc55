package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An API server that is away for ten minutes, while the node's pods come and go. */
class ApiServerOutageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration STEP = Duration.ofSeconds(30);
    private static final int STEPS = 20;

    @Test
    void forTenMinutesAddsAndDelsGoOnAndAfterwardsNobodyIsCollectedWhoLives() {
        EngineFixture node = EngineFixture.started(40, 0, 5);
        node.add("default/known", "c-known-0");
        node.add("default/dies", "c-dies");
        node.pods.down(true);
        // it is deleted while nobody can tell: no DEL comes
        node.pods.remove("default/dies");
        for (int i = 0; i < STEPS; i++) {
            // the known pod's sandbox is made anew, and a pod that this node never saw comes
            node.del("c-known-" + i);
            assertThat(node.adding("default/known", "c-known-" + (i + 1), PATIENCE))
                    .isCompleted();
            node.add("default/new-" + i, "c-new-" + i);
            if (i % 2 == 1) {
                node.del("c-new-" + i);
                node.pods.remove("default/new-" + i);
            }
            node.time.advance(STEP);
        }
        assertThat(node.engine.leases()).hasSize(1 + 1 + STEPS / 2);
        assertThat(node.events.types()).contains("PodLookupFailed", "GcFinished");
        assertNobodySharesAnAddress(node);

        node.pods.down(false);
        node.time.advance(Duration.ofMinutes(5));

        assertThat(node.engine.leases())
                .extracting(Lease::pod)
                .as("those that came meanwhile stay, and the one that died meanwhile goes")
                .contains(PodRef.parse("default/known"), PodRef.parse("default/new-0"))
                .doesNotContain(PodRef.parse("default/dies"))
                .hasSize(1 + STEPS / 2);
        assertNobodySharesAnAddress(node);
    }

    @Test
    void whereCallsAreNotTrustedKnownPodsAreServedAndStrangersHaveToTryAgain() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.strict();
        node.add("default/known", "c-1");
        node.del("c-1");
        node.pods.down(true);

        for (int i = 0; i < STEPS; i++) {
            node.time.advance(STEP);
            String container = "c-known-" + i;
            assertThat(node.adding("default/known", container, PATIENCE)).isCompleted();
            node.del(container);
            node.pods.put("default/stranger");
            assertThat(EngineFixture.code(node.adding("default/stranger", "c-stranger-" + i, PATIENCE)))
                    .isEqualTo(ErrorCode.TRY_AGAIN);
        }

        node.pods.down(false);
        assertThat(node.adding("default/stranger", "c-stranger", PATIENCE)).isCompleted();
    }

    /** Terway waited for 70 seconds, with the node's lock in its hand. */
    @Test
    void aServerThatNeverAnswersCostsAnAddSecondsAndNobodyElseAnything() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.add("default/there", "c-there");
        node.pods.stopAnswering();
        CompletableFuture<AddOutcome> add = node.adding("default/web-0", "c-web", PATIENCE);
        CompletableFuture<AddOutcome> hasty = node.adding("default/web-1", "c-hasty", Duration.ofSeconds(2));
        assertThat(node.del("c-there").released()).as("a DEL asks nobody").isPresent();

        node.time.advance(Duration.ofSeconds(2));
        assertThat(hasty).as("the call's own time is shorter").isDone();
        node.time.advance(Duration.ofSeconds(3));

        assertThat(add).as("by the call's own parameters").isCompleted();
        assertThat(node.events.types()).contains("PodLookupFailed");
    }

    @Test
    void whatAPodAsksForIsKnownAfterARestartThoughNobodyAnswers() {
        PodNetworkSpec wishes = new PodNetworkSpec(OptionalLong.of(1_000), OptionalLong.empty(), true);
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.put(new Pod(PodRef.parse("default/web-0"), "uid-1", false, Duration.ofMinutes(5), List.of(), wishes));
        CompletableFuture<AddOutcome> add = node.adding("default/web-0", "c-1", PATIENCE);
        assertThat(add).isCompleted();
        node.crashAndStart();
        node.pods.down(true);
        node.del("c-1");

        CompletableFuture<AddOutcome> again = node.adding("default/web-0", "c-2", PATIENCE);

        assertThat(again.join().lease().stick()).isEqualTo(Duration.ofMinutes(5));
        assertThat(again.join().lease().resource()).isEqualTo(add.join().lease().resource());
        assertThat(node.db.contents().pods())
                .extracting(PodCopy::pod)
                .extracting(Pod::wishes)
                .containsExactly(wishes);
    }

    @Test
    void aPodsLimitsHoldThoughNobodyAnswersWhetherTheRuntimeTellsItsUidOrNot() {
        for (String told : List.of("", "uid-1", "uid-of-the-next-pod-of-the-name")) {
            EngineFixture node = EngineFixture.started(10, 0, 5);
            node.pods.put(pod("uid-1", 1_000));
            assertThat(adding(node, "c-1", "uid-1")).isCompleted();
            node.pods.down(true);
            node.del("c-1");

            Lease lease = adding(node, "c-2", told).join().lease();

            assertThat(lease.podUid()).isEqualTo(told);
            assertThat(ingress(node, "c-2")).as("told '%s'", told).hasValue(1_000);
            // the same sandbox again
            assertThat(adding(node, "c-2", told)).isCompleted();
        }
    }

    /** Without a deadline no later collection would ever begin. */
    @Test
    void aDiskThatDoesNotAnswerHoldsUpNoCollectionThatWantsToWriteAUid() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.put(pod("uid-1", 1_000));
        assertThat(adding(node, "c-1", "")).isCompleted();
        node.pods.down(true);
        node.del("c-1");
        adding(node, "c-2", "").join();
        node.pods.down(false);
        node.disk = Duration.ofDays(1);

        CompletableFuture<GcReport> collection = node.engine.collect(false);
        node.time.advance(Duration.ofMinutes(1));

        assertThat(collection).isCompleted();
        assertThat(collection.join().problems())
                .singleElement()
                .asString()
                .contains("could not be brought in line", "no answer within 10s");
    }

    @Test
    void aLeaseOfTheOutageGetsTheUidOfThePodThatTheNodeKnewBeforeAndItsOrphanIsCollected() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.put(pod("uid-1", 1_000));
        assertThat(adding(node, "c-1", "")).isCompleted();
        node.pods.down(true);
        node.del("c-1");
        Lease lease = adding(node, "c-2", "").join().lease();
        node.pods.put(pod("uid-1", 2_000));
        node.pods.down(false);

        assertThat(collect(node).problems()).isEmpty();

        assertThat(node.db.contents().leases())
                .containsExactly(
                        new Lease(lease.owner(), lease.pod(), "uid-1", lease.resource(), lease.stick(), lease.since()));
        assertThat(node.engine.leases()).isEqualTo(node.db.contents().leases());
        assertThat(ingress(node, "c-2")).as("as the manifest says by now").hasValue(2_000);
        assertThat(node.events.types()).contains("PodUidLearned", "PodLimitsSet");
        // it is made anew, and no DEL comes
        node.pods.put(pod("uid-2", 1_000));
        assertThat(collect(node).collected()).hasSize(1);
        assertThat(node.rows()).isEmpty();
    }

    @Test
    void aLeaseOfTheOutageGetsNoUidOfAPodThatMayHaveComeAfterIt() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.put(pod("uid-1", 1_000));
        assertThat(adding(node, "c-1", "")).isCompleted();
        node.pods.down(true);
        node.del("c-1");
        adding(node, "c-2", "").join();
        // replaced while nobody could tell; its own sandbox is not made yet
        node.pods.put(pod("uid-2", 3_000));
        node.pods.down(false);

        collect(node);
        assertThat(node.engine.leases()).extracting(Lease::podUid).containsExactly("");
        assertThat(ingress(node, "c-2")).hasValue(1_000);

        Lease next = adding(node, "c-3", "").join().lease();
        node.pods.addressed("default/web-0", addresses(next));
        collect(node);
        assertThat(node.engine.leases()).extracting(Lease::podUid).containsExactlyInAnyOrder("", "uid-2");
        assertThat(node.rows()).as("its sandbox is connected").containsExactly("c-2", "c-3");
    }

    @Test
    void aLeaseOfTheOutageGetsTheUidOfThePodThatReportsItsAddress() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.down(true);
        Lease lease = adding(node, "c-1", "").join().lease();
        assertThat(ingress(node, "c-1")).as("it was never seen").isEmpty();
        node.pods.put(pod("uid-1", 1_000));
        node.pods.down(false);
        node.crashAndStart();
        collect(node);
        assertThat(node.engine.leases()).extracting(Lease::podUid).containsExactly("");

        node.pods.addressed("default/web-0", addresses(lease));
        collect(node);

        assertThat(node.engine.leases()).extracting(Lease::podUid).containsExactly("uid-1");
        assertThat(ingress(node, "c-1")).hasValue(1_000);
        node.crashAndStart();
        assertThat(node.engine.leases()).extracting(Lease::podUid).containsExactly("uid-1");
    }

    @Test
    void theLimitsOfAnUnseenPodWhoseUidTheRuntimeToldComeWhenTheServerAnswers() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.down(true);
        adding(node, "c-1", "uid-1").join();
        node.pods.put(pod("uid-1", 1_000));
        node.pods.down(false);

        node.time.advance(Duration.ofMinutes(5));

        assertThat(ingress(node, "c-1")).hasValue(1_000);
    }

    @Test
    void anAddForAPodThatWasReplacedByAnotherOfItsNameIsRefused() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.put(pod("uid-2", 1_000));

        CompletableFuture<AddOutcome> add = adding(node, "c-1", "uid-1");

        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.POD_GONE);
        assertThat(node.rows()).isEmpty();
    }

    @Test
    void aLeaseThatEndsWhileItsPodIsAskedForIsNotWrittenAnew() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.down(true);
        Lease lease = adding(node, "c-1", "").join().lease();
        node.pods.put(pod("uid-1", 1_000));
        node.pods.addressed("default/web-0", addresses(lease));
        node.pods.down(false);
        node.disk = Duration.ofSeconds(1);
        CompletableFuture<?> del = node.engine.del(lease.owner());
        CompletableFuture<GcReport> gc = node.engine.collect(false);

        node.time.advance(Duration.ofMinutes(1));

        assertThat(del).isCompleted();
        assertThat(gc.join().problems()).isEmpty();
        assertThat(node.rows()).isEmpty();
        assertThat(node.engine.leases()).isEmpty();
    }

    private static Pod pod(String uid, long ingress) {
        return new Pod(
                PodRef.parse("default/web-0"),
                uid,
                false,
                Duration.ZERO,
                List.of(),
                new PodNetworkSpec(OptionalLong.of(ingress), OptionalLong.empty(), false));
    }

    private static CompletableFuture<AddOutcome> adding(EngineFixture node, String container, String uid) {
        CompletableFuture<AddOutcome> add = node.engine.add(new AddCommand(
                EngineFixture.owner(container),
                PodRef.parse("default/web-0"),
                uid,
                LinkRequest.simulated(),
                PATIENCE,
                "cni"));
        node.time.settle();
        return add;
    }

    private static OptionalLong ingress(EngineFixture node, String container) {
        return node.kernel
                .connection(EngineFixture.owner(container))
                .orElseThrow()
                .ingress();
    }

    private static GcReport collect(EngineFixture node) {
        CompletableFuture<GcReport> report = node.engine.collect(false);
        node.time.settle();
        return report.join();
    }

    private static List<InetAddress> addresses(Lease lease) {
        return lease.resource().addresses().stream().map(Address::ip).toList();
    }

    private static void assertNobodySharesAnAddress(EngineFixture node) {
        Set<String> addresses = new HashSet<>();
        node.engine
                .leases()
                .forEach(lease -> assertThat(addresses.add(EngineFixture.host(lease)))
                        .as("%s is one pod's", EngineFixture.host(lease))
                        .isTrue());
    }
}

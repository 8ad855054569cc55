package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which ADDs ask the API server for their pod, and which have it from the watch. */
class WatchedPodTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String WEB = "default/web-0";

    private final EngineFixture node = EngineFixture.started(20, 0, 5);

    @Test
    void aBurstOfPodsThatTheWatchHasAsksTheApiServerForNone() {
        for (int i = 0; i < 10; i++) {
            node.pods.put("default/job-" + i);
        }
        node.pods.watch();

        for (int i = 0; i < 10; i++) {
            assertThat(adding("default/job-" + i, "c-" + i, "uid-of-default/job-" + i))
                    .isCompleted();
        }

        assertThat(node.pods.questions()).isZero();
        assertThat(node.engine.leases()).extracting(Lease::podUid).contains("uid-of-default/job-0");
    }

    @Test
    void whatTheWatchHasOfThePodIsAppliedAndIsInTheDatabaseWithTheLease() {
        node.pods.put(pod("uid-1", 1_000, Duration.ofMinutes(5)));
        node.pods.watch();

        Lease lease = adding(WEB, "c-1", "uid-1").join().lease();

        assertThat(lease.stick()).isEqualTo(Duration.ofMinutes(5));
        assertThat(ingress("c-1")).hasValue(1_000);
        assertThat(node.db.contents().pods())
                .extracting(PodCopy::pod)
                .containsExactly(pod("uid-1", 1_000, Duration.ofMinutes(5)));
        assertThat(node.pods.questions()).isZero();
    }

    @Test
    void aPodThatTheWatchHasIsServedAtOnceWhileTheApiServerDoesNotAnswer() {
        node.pods.put(WEB, "uid-1", false, Duration.ZERO);
        node.pods.watch();
        node.pods.stopAnswering();

        assertThat(adding(WEB, "c-1", "uid-1")).as("no time has passed").isCompleted();

        assertThat(node.events.types()).doesNotContain("PodLookupFailed");
    }

    @Test
    void aPodThatWasMadeAnewAndThatTheWatchHasNotHeardOfIsAskedFor() {
        node.pods.put(pod("uid-1", 1_000, Duration.ZERO));
        node.pods.watch();
        node.pods.put(pod("uid-2", 2_000, Duration.ZERO));

        assertThat(adding(WEB, "c-1", "uid-2").join().lease().podUid()).isEqualTo("uid-2");

        assertThat(ingress("c-1")).hasValue(2_000);
        assertThat(node.pods.questions()).isOne();
    }

    @Test
    void aPodThatTheWatchHasNotHeardOfYetIsAskedFor() {
        node.pods.put(WEB, "uid-1", false, Duration.ZERO);

        assertThat(adding(WEB, "c-1", "uid-1")).isCompleted();

        assertThat(node.pods.questions()).isOne();
    }

    @Test
    void aRuntimeThatNamesNoUidHasThePodAskedForSinceItMayBeAnotherThanTheWatchHas() {
        node.pods.put(pod("uid-1", 1_000, Duration.ZERO));
        node.pods.watch();
        node.pods.put(pod("uid-2", 2_000, Duration.ZERO));

        assertThat(adding(WEB, "c-1", "").join().lease().podUid()).isEqualTo("uid-2");

        assertThat(ingress("c-1")).hasValue(2_000);
        assertThat(node.pods.questions()).isOne();
    }

    @Test
    void anAddForAPodThatWasReplacedIsRefusedThoughTheWatchHasItsSuccessor() {
        node.pods.put(WEB, "uid-2", false, Duration.ZERO);
        node.pods.watch();

        assertThat(EngineFixture.code(adding(WEB, "c-1", "uid-1"))).isEqualTo(ErrorCode.POD_GONE);
        assertThat(node.rows()).isEmpty();
    }

    @Test
    void aStaticPodWhoseMirrorFinishedBeforeItBeganAnewIsAskedForAndServed() {
        String uid = "7b1e6d2f7a4c4b0e9d3f5a6c8e0b1d2f";
        node.pods.put(WEB, uid, true, Duration.ZERO);
        node.pods.watch();
        node.pods.put(WEB, uid, false, Duration.ZERO);

        assertThat(adding(WEB, "c-1", uid)).isCompleted();
        assertThat(node.pods.questions()).isOne();
    }

    @Test
    void aLeaseOfAPodWhoseEndTheWatchHadNotHeardOfIsCollected() {
        node.pods.put(WEB, "uid-1", false, Duration.ZERO);
        node.pods.watch();
        node.pods.remove(WEB);
        assertThat(adding(WEB, "c-1", "uid-1")).isCompleted();

        node.time.advance(Duration.ofMinutes(5));

        assertThat(node.rows()).isEmpty();
    }

    private CompletableFuture<AddOutcome> adding(String pod, String container, String uid) {
        CompletableFuture<AddOutcome> add = node.engine.add(new AddCommand(
                EngineFixture.owner(container), PodRef.parse(pod), uid, LinkRequest.simulated(), TIMEOUT, "cni"));
        node.time.settle();
        return add;
    }

    private OptionalLong ingress(String container) {
        return node.kernel
                .connection(EngineFixture.owner(container))
                .orElseThrow()
                .ingress();
    }

    private static Pod pod(String uid, long ingress, Duration stick) {
        PodNetworkSpec wishes = new PodNetworkSpec(OptionalLong.of(ingress), OptionalLong.empty(), false);
        return new Pod(PodRef.parse(WEB), uid, false, stick, List.of(), wishes);
    }
}

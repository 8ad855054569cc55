package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.PodCopy;
import io.enipam.engine.model.PodWishes;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An API server that is away for ten minutes, while the node's pods come and go. */
class ApiServerAwayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration STEP = Duration.ofSeconds(30);
    private static final int STEPS = 20;

    @Test
    void forTenMinutesAddsAndDelsGoOnAndAfterwardsNobodyIsCollectedWhoLives() {
        Node node = Node.started(40, 0, 5);
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
        Node node = Node.started(10, 0, 5);
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
            assertThat(Node.code(node.adding("default/stranger", "c-stranger-" + i, PATIENCE)))
                    .isEqualTo(ErrorCode.TRY_AGAIN);
        }

        node.pods.down(false);
        assertThat(node.adding("default/stranger", "c-stranger", PATIENCE)).isCompleted();
    }

    /** Terway waited for 70 seconds, with the node's lock in its hand. */
    @Test
    void aServerThatNeverAnswersCostsAnAddSecondsAndNobodyElseAnything() {
        Node node = Node.started(10, 0, 5);
        node.add("default/there", "c-there");
        node.pods.fallSilent();
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
        PodWishes wishes = new PodWishes(OptionalLong.of(1_000), OptionalLong.empty(), true);
        Node node = Node.started(10, 0, 5);
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

    private static void assertNobodySharesAnAddress(Node node) {
        Set<String> addresses = new HashSet<>();
        node.engine
                .leases()
                .forEach(lease -> assertThat(addresses.add(Node.host(lease)))
                        .as("%s is one pod's", Node.host(lease))
                        .isTrue());
    }
}

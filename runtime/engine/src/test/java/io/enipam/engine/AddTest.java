package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AddTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    @Test
    void twoPodsGetDifferentAddressesAndBothLeasesAreDurable() {
        EngineFixture node = EngineFixture.started(10, 0, 5);

        Lease a = node.add("default/a", "c-a");
        Lease b = node.add("default/b", "c-b");

        assertThat(EngineFixture.host(a)).isNotEqualTo(EngineFixture.host(b));
        assertThat(node.rows()).containsExactly("c-a", "c-b");
        assertThat(node.kernel.connected()).containsOnlyKeys(a.owner(), b.owner());
    }

    @Test
    void whoeverAsksIsAnsweredEvenIfItsEventCannotBeTold() {
        EngineFixture node = EngineFixture.started(1, 0, 1);
        node.unbearable = type -> type.equals("LeaseGranted") || type.equals("LeaseRefused");
        node.pods.put("default/a");
        node.pods.put("default/b");

        CompletableFuture<AddOutcome> granted = node.adding("default/a", "c-a", TEN_SECONDS);
        CompletableFuture<AddOutcome> refused = node.adding("default/b", "c-b", TEN_SECONDS);
        node.time.advance(TEN_SECONDS);

        assertThat(granted).isCompleted();
        assertThat(node.rows()).containsExactly("c-a");
        assertThat(refused).isCompletedExceptionally();
    }

    @Test
    void theSameSandboxAskedTwiceHasOneAddress() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        Lease first = node.add("default/a", "c-a");

        AddOutcome second = node.adding("default/a", "c-a", TEN_SECONDS).join();

        assertThat(second.repeated()).isTrue();
        assertThat(second.lease()).isEqualTo(first);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);
    }

    @Test
    void theSameSandboxAskedTwiceAtOnceHasOneAddress() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.pods.put("default/a");

        CompletableFuture<AddOutcome> one = node.engine.add(
                new AddCommand(EngineFixture.owner("c-a"), io.enipam.sdk.PodRef.parse("default/a"), TEN_SECONDS));
        CompletableFuture<AddOutcome> two = node.adding("default/a", "c-a", TEN_SECONDS);

        assertThat(one.join().lease()).isEqualTo(two.join().lease());
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);
    }

    @Test
    void aSecondSandboxOfAPodHasItsOwnAddress() {
        EngineFixture node = EngineFixture.started(10, 0, 5);

        Lease old = node.add("default/a", "c-old");
        Lease fresh = node.add("default/a", "c-new");

        assertThat(EngineFixture.host(old)).isNotEqualTo(EngineFixture.host(fresh));
    }

    @Test
    void aContainerOfAnotherPodIsRefused() {
        EngineFixture node = EngineFixture.started(10, 0, 5);
        node.add("default/a", "c");
        node.pods.put("default/b");

        CompletableFuture<AddOutcome> add = node.adding("default/b", "c", TEN_SECONDS);

        assertThat(EngineFixture.failure(add)).hasMessageContaining("belongs to pod default/a");
        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void onePodTooManyIsToldCapacityAndUseWithinItsDeadline() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.add("default/a", "c-a");
        node.add("default/b", "c-b");
        node.pods.put("default/c");

        CompletableFuture<AddOutcome> add = node.adding("default/c", "c-c", TEN_SECONDS);
        assertThat(add).isNotDone();
        node.time.advance(TEN_SECONDS);

        IpamException refusal = EngineFixture.failure(add);
        assertThat(refusal.code()).isEqualTo(ErrorCode.POOL_EXHAUSTED);
        assertThat(refusal).hasMessageContaining("capacity 2").hasMessageContaining("in use 2");
        assertThat(node.rows()).containsExactly("c-a", "c-b");
    }

    @Test
    void aWaiterIsServedByARelease() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        node.add("default/a", "c-a");
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> waiting = node.adding("default/b", "c-b", TEN_SECONDS);

        node.del("c-a");

        assertThat(waiting.join().lease().owner().containerId()).isEqualTo("c-b");
    }

    @Test
    void waitersAreServedInTheOrderInWhichTheyCame() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        node.add("default/a", "c-a");
        node.pods.put("default/b");
        node.pods.put("default/c");
        CompletableFuture<AddOutcome> first = node.adding("default/b", "c-b", TEN_SECONDS);
        CompletableFuture<AddOutcome> second = node.adding("default/c", "c-c", TEN_SECONDS);

        node.del("c-a");

        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        node.del("c-b");
        assertThat(second).isCompleted();
    }

    @Test
    void aPodTheApiServerDoesNotKnowIsRefused() {
        EngineFixture node = EngineFixture.started(2, 0, 5);

        assertThat(EngineFixture.code(node.adding("default/ghost", "c", TEN_SECONDS)))
                .isEqualTo(ErrorCode.POD_GONE);
        assertThat(node.count(ResourceState.IN_USE)).isZero();
    }

    @Test
    void anApiServerThatIsAwayDoesNotKeepAPodFromStarting() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.pods.down(true);

        assertThat(node.adding("default/a", "c", TEN_SECONDS)).isCompleted();
        assertThat(node.events.types()).contains("PodLookupFailed");
    }

    @Test
    void aDiskThatCannotBeWrittenGivesTheAddressBack() {
        EngineFixture node = EngineFixture.started(2, 1, 5);
        node.pods.put("default/a");
        node.db.broken(true);

        CompletableFuture<AddOutcome> add = node.adding("default/a", "c", TEN_SECONDS);

        assertThat(EngineFixture.failure(add)).hasMessageContaining("No space left on device");
        assertThat(EngineFixture.code(add))
                .as("the database gets over it by itself")
                .isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.count(ResourceState.IN_USE)).isZero();
        assertThat(node.kernel.connected()).isEmpty();
        assertThat(node.engine.leases()).isEmpty();
    }

    @Test
    void aKernelThatSaysNoUndoesRowAndAddress() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.pods.put("default/a");
        node.kernel.failSetUp(true);

        CompletableFuture<AddOutcome> add = node.adding("default/a", "c", TEN_SECONDS);

        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.DATAPATH_FAILED);
        assertThat(EngineFixture.failure(add)).hasMessageContaining("Operation not permitted");
        assertThat(node.rows()).isEmpty();
        assertThat(node.count(ResourceState.IN_USE)).isZero();
    }

    @Test
    void anAddBeforeTheCloudAnsweredIsToldToComeBack() {
        EngineFixture node = new EngineFixture(2, EngineFixture.config(0, 5, Duration.ZERO));
        node.cloud.down(true);
        CompletableFuture<Void> started = node.engine.start();
        node.pods.put("default/a");

        assertThat(EngineFixture.code(node.adding("default/a", "c", TEN_SECONDS)))
                .isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.engine.status().detail()).contains("the cloud is away");

        node.cloud.down(false);
        node.time.advance(Duration.ofSeconds(2));
        assertThat(started).isCompleted();
        assertThat(node.adding("default/a", "c", TEN_SECONDS)).isCompleted();
    }

    @Test
    void whoComesBeforeTheEngineServesIsRefusedWithTheReasonItself() {
        EngineFixture node = new EngineFixture(10, EngineFixture.config(1, 2, Duration.ZERO));

        Throwable why = node.adding("default/a", "c", TEN_SECONDS)
                .handle((never, error) -> error)
                .join();

        assertThat(why).isInstanceOf(IpamException.class);
        assertThat(node.traces.all())
                .singleElement()
                .matches(story -> story.outcome().equals("TRY_AGAIN"));
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DelTest {
    @Test
    void anUnknownOwnerIsSuccessAndChangesNothing() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.add("default/a", "c-a");

        DelOutcome outcome = node.del("never-seen");

        assertThat(outcome.released()).isEmpty();
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void theCommitThatEndsALeaseSaysWhoAskedForItAndWhen() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.add("default/a", "c-a");
        Instant asked = node.time.now();
        node.engine.del(EngineFixture.owner("c-a"), "kubelet");
        node.time.settle();

        assertThat(node.db.ends()).singleElement().satisfies(end -> {
            assertThat(end.reason()).isEqualTo(LeaseEnd.Reason.DEL);
            assertThat(end.by()).isEqualTo("kubelet");
            assertThat(end.at()).isBetween(asked, node.time.now());
        });
    }

    @Test
    void aLateDelOfAnOldSandboxLeavesTheNewSandboxAlone() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-old");
        node.del("c-old");
        Lease fresh = node.add("default/a", "c-new");

        node.del("c-old");

        assertThat(node.engine.lease(fresh.owner())).contains(fresh);
        assertThat(node.rows()).containsExactly("c-new");
    }

    @Test
    void anAddressCoolsDownBeforeAnybodyGetsIt() {
        EngineFixture node = new EngineFixture(1, EngineFixture.config(0, 5, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/a", "c-a");
        node.del("c-a");
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.COOLING);
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> next = node.adding("default/b", "c-b", Duration.ofMinutes(1));

        node.time.advance(Duration.ofSeconds(29));
        assertThat(next).isNotDone();
        node.time.advance(Duration.ofSeconds(2));

        assertThat(EngineFixture.host(next.join().lease())).isEqualTo(EngineFixture.host(lease));
    }

    @Test
    void aStatefulSetsPodFindsItsAddressAgainThoughOthersCameFirst() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("default/web-0", "uid-1", false, Duration.ofMinutes(5));
        Lease before = node.adding("default/web-0", "c-1", Duration.ofSeconds(5))
                .join()
                .lease();
        node.del("c-1");
        assertThat(node.entry(before).state()).isEqualTo(ResourceState.RESERVED);

        Lease other = node.add("default/other", "c-other");
        node.pods.put("default/web-0", "uid-2", false, Duration.ofMinutes(5));
        Lease after = node.adding("default/web-0", "c-2", Duration.ofSeconds(5))
                .join()
                .lease();

        assertThat(EngineFixture.host(other)).isNotEqualTo(EngineFixture.host(before));
        assertThat(EngineFixture.host(after)).isEqualTo(EngineFixture.host(before));
    }

    @Test
    void aReservationThatNobodyCameForEnds() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        node.pods.put("default/web-0", "uid-1", false, Duration.ofMinutes(5));
        node.adding("default/web-0", "c-1", Duration.ofSeconds(5)).join();
        node.del("c-1");

        node.time.advance(Duration.ofMinutes(6));

        assertThat(node.count(ResourceState.RESERVED)).isZero();
        assertThat(node.db.contents().holds()).isEmpty();
        assertThat(node.add("default/other", "c-2")).isNotNull();
    }

    @Test
    void aKernelThatCannotBeTornDownKeepsTheLease() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.add("default/a", "c-a");
        node.kernel.failTearDown(true);

        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-a"));
        node.time.settle();

        assertThat(EngineFixture.code(del)).isEqualTo(ErrorCode.DATAPATH_FAILED);
        assertThat(node.rows()).containsExactly("c-a");
        node.kernel.failTearDown(false);
        assertThat(node.del("c-a").released()).isPresent();
    }

    @Test
    void item30TheKernelIsTornDownBeforeTheAddressIsAnybodyElses() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        Lease lease = node.add("default/a", "c-a");
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> next = node.adding("default/b", "c-b", Duration.ofMinutes(1));
        CompletableFuture<Void> torn = node.kernel.holdTearDowns();

        CompletableFuture<DelOutcome> del = node.engine.del(lease.owner());
        node.time.settle();

        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
        assertThat(node.rows()).containsExactly("c-a");
        assertThat(del).isNotDone();
        assertThat(next).isNotDone();

        torn.complete(null);
        node.time.settle();

        assertThat(del.join().released()).contains(lease);
        assertThat(next.join().lease().resource()).isEqualTo(lease.resource());
        assertThat(node.kernel.connected()).containsOnlyKeys(EngineFixture.owner("c-b"));
    }

    @Test
    void aDelDuringItsAddComesAfterItAndLeavesNothing() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.pods.put("default/a");
        CompletableFuture<AddOutcome> add = node.engine.add(new AddCommand(
                EngineFixture.owner("c-a"), io.enipam.sdk.PodRef.parse("default/a"), Duration.ofSeconds(5)));

        DelOutcome del = node.del("c-a");

        assertThat(add).isCompleted();
        assertThat(del.released()).isPresent();
        assertThat(node.rows()).isEmpty();
        assertThat(node.count(ResourceState.IN_USE)).isZero();
    }

    @Test
    void needsNeitherApiServerNorCloud() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.add("default/a", "c-a");
        node.pods.down(true);
        node.cloud.down(true);

        assertThat(node.del("c-a").released()).isPresent();
    }

    @Test
    void worksAfterARestartWhileTheCloudIsStillAway() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.add("default/a", "c-a");
        node.crash();
        node.cloud.down(true);
        node.engine.start();
        node.time.settle();

        assertThat(node.del("c-a").released()).isPresent();
        assertThat(node.rows()).isEmpty();
    }
}

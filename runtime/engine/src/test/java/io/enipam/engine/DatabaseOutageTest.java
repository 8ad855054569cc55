package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the engine does while nothing can be made durable. */
class DatabaseOutageTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private static Optional<DbTrouble> full(EngineFixture node) {
        return Optional.of(new DbTrouble("the disk is full", node.time.now()));
    }

    @Test
    void anAddIsTurnedAwayBeforeTheCloudIsAskedForAnything() {
        EngineFixture node = EngineFixture.started(5, 0, 5);
        node.pods.put("default/a");
        int commits = node.db.commits();
        node.db.inTrouble(full(node));

        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", TEN_SECONDS);

        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(EngineFixture.code(add).cniCode()).isEqualTo(11);
        assertThat(EngineFixture.failure(add))
                .hasMessage("no lease can be written for pod default/a: the disk is full");
        assertThat(node.cloud.contents()).isEmpty();
        assertThat(node.engine.pool().entries()).isEmpty();
        assertThat(node.kernel.connected()).isEmpty();
        node.db.inTrouble(Optional.empty());
        assertThat(node.db.commits()).isEqualTo(commits);
        assertThat(node.add("default/a", "c-a").owner()).isEqualTo(EngineFixture.owner("c-a"));
    }

    @Test
    void anOwnerThatHasALeaseIsToldOfItAgain() {
        EngineFixture node = EngineFixture.started(5, 1, 5);
        Lease lease = node.add("default/a", "c-a");
        node.db.inTrouble(full(node));

        CompletableFuture<AddOutcome> again = node.adding("default/a", "c-a", TEN_SECONDS);

        assertThat(again).isCompletedWithValue(new AddOutcome(lease, true, DatapathResult.NONE));
    }

    @Test
    void aDelThatCannotBeWrittenSaysSoAndTheNextOneEndsTheLease() {
        EngineFixture node = EngineFixture.started(5, 1, 5);
        Lease lease = node.add("default/a", "c-a");
        node.db.inTrouble(full(node));

        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-a"));
        node.time.settle();

        assertThat(EngineFixture.code(del)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.engine.leases()).containsExactly(lease);
        assertThat(node.entry(lease).state()).as("nobody else gets it").isEqualTo(ResourceState.IN_USE);
        node.db.inTrouble(Optional.empty());
        assertThat(node.del("c-a").released()).contains(lease);
        assertThat(node.rows()).isEmpty();
    }

    @Test
    void aLeaseToldAgainAfterADelThatCouldNotBeWrittenIsOnDiskForCertain() {
        EngineFixture node = EngineFixture.started(5, 1, 5);
        Lease lease = node.add("default/a", "c-a");
        node.db.inTrouble(full(node));
        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-a"));
        node.time.settle();
        assertThat(del).isCompletedExceptionally();

        assertThat(EngineFixture.code(node.adding("default/a", "c-a", TEN_SECONDS)))
                .as("the failed removal may be found after a crash, so the lease cannot be promised now")
                .isEqualTo(ErrorCode.TRY_AGAIN);
        node.db.inTrouble(Optional.empty());
        int commits = node.db.commits();
        assertThat(node.adding("default/a", "c-a", TEN_SECONDS))
                .isCompletedWithValue(new AddOutcome(lease, true, DatapathResult.NONE));
        assertThat(node.db.commits())
                .as("written anew, which voids the removal")
                .isGreaterThan(commits);
        node.crashAndStart();
        assertThat(node.engine.leases()).hasSize(1);
    }

    @Test
    void troubleIsReportedOnceWithItsCauseAndItsEndOnce() {
        EngineFixture node = EngineFixture.started(5, 1, 5);
        node.pods.put("default/a");
        node.db.inTrouble(full(node));
        node.db.inTrouble(full(node));
        node.adding("default/a", "c-a", TEN_SECONDS);
        node.time.advance(Duration.ofMinutes(10));
        node.db.inTrouble(Optional.empty());
        node.db.inTrouble(Optional.empty());

        assertThat(node.events.all())
                .filteredOn(event -> event.subject().equals("database"))
                .extracting(event -> event.severity() + " " + event.type())
                .containsExactly("ERROR DatabaseUnwritable", "INFO DatabaseWritable");
        assertThat(node.events.all())
                .filteredOn(event -> event.type().equals("DatabaseUnwritable"))
                .allSatisfy(event -> assertThat(event.message()).startsWith("the disk is full; ADD is turned away"));
    }

    @Test
    void aDatabaseThatHasTooMuchToDoIsTriedAgainAndLeaksNothing() {
        EngineFixture node = EngineFixture.started(5, 1, 5);
        Lease held = node.add("default/b", "c-b");
        node.time.advance(Duration.ofSeconds(30));
        int lent = node.count(ResourceState.IN_USE);
        node.pods.put("default/a");
        node.db.busy(true);

        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", TEN_SECONDS);
        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-b"));
        node.time.settle();

        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(EngineFixture.code(del)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(lent);
        assertThat(node.engine.leases()).containsExactly(held);
        node.db.busy(false);
        assertThat(node.del("c-b").released()).contains(held);
        node.add("default/a", "c-a");
        assertThat(node.rows()).containsExactly("c-a");
    }
}

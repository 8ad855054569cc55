package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.ResourceState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RestartTest {
    @Test
    void leasesAreThereAfterACrash() {
        EngineFixture node = EngineFixture.started(5, 2, 5);
        Lease a = node.add("default/a", "c-a");
        Lease b = node.add("default/b", "c-b");

        node.crashAndStart();

        assertThat(node.engine.leases()).containsExactly(a, b);
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(2);
        assertThat(EngineFixture.host(node.add("default/c", "c-c")))
                .isNotIn(EngineFixture.host(a), EngineFixture.host(b));
    }

    @Test
    void idleAddressesOfTheCloudAreFoundAgainAndNotMadeAnew() {
        EngineFixture node = EngineFixture.started(5, 3, 5);
        int made = node.cloud.creates();

        node.crashAndStart();

        assertThat(node.count(ResourceState.IDLE)).isEqualTo(3);
        assertThat(node.cloud.creates()).isEqualTo(made);
    }

    @Test
    void aCoolDownGoesOnAfterACrash() {
        EngineFixture node = new EngineFixture(1, EngineFixture.config(0, 5, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/a", "c-a");
        node.del("c-a");
        node.time.advance(Duration.ofSeconds(10));

        node.crashAndStart();

        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.COOLING);
        node.time.advance(Duration.ofSeconds(21));
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IDLE);
    }

    @Test
    void aReservationGoesOnAfterACrash() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.pods.put("default/web-0", "uid-1", false, Duration.ofMinutes(5));
        Lease before = node.adding("default/web-0", "c-1", Duration.ofSeconds(5))
                .join()
                .lease();
        node.del("c-1");

        node.crashAndStart();

        assertThat(EngineFixture.host(node.adding("default/web-0", "c-2", Duration.ofSeconds(5))
                        .join()
                        .lease()))
                .isEqualTo(EngineFixture.host(before));
    }

    @Test
    void anAddressTheCloudLostIsNeverLentAgain() {
        EngineFixture node = EngineFixture.started(2, 1, 5);
        Lease lost = node.add("default/a", "c-a");
        node.time.advance(Duration.ofMinutes(3));
        node.cloud.lose(lost.resource().id());

        node.crashAndStart();

        assertThat(node.entry(lost).state()).isEqualTo(ResourceState.INVALID);
        assertThat(node.events.types()).contains("AddressLost");
        node.del("c-a");
        node.time.settle();
        assertThat(node.engine.pool().entries())
                .noneMatch(entry -> entry.resource().equals(lost.resource()));
    }

    /** A cloud whose lists lag by half a minute does not show what the run before has made a moment ago. */
    @Test
    void aLeaseYoungerThanTheCloudsListsIsNotLostByARestart() {
        EngineFixture node = EngineFixture.started(9, 0, 9);
        List<Lease> leases = Stream.of("a", "b", "c")
                .map(pod -> node.add("default/" + pod, "c-" + pod))
                .toList();
        leases.forEach(lease -> node.cloud.hide(lease.resource().id()));

        node.crashAndStart();
        node.engine.reconcile();
        node.time.advance(Duration.ofSeconds(30));

        assertThat(leases).allMatch(lease -> node.entry(lease).state() == ResourceState.IN_USE);
        assertThat(node.events.types()).doesNotContain("AddressLost");

        node.cloud.reveal();
        node.time.advance(Duration.ofMinutes(10));
        assertThat(leases).allMatch(lease -> node.entry(lease).state() == ResourceState.IN_USE);
    }

    @Test
    void aLeaseThatTheCloudDoesNotShowForMinutesAfterARestartIsLost() {
        EngineFixture node = EngineFixture.started(9, 1, 9);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.lose(lease.resource().id());

        node.crashAndStart();
        node.time.advance(Duration.ofMinutes(10));

        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.INVALID);
        assertThat(node.events.types()).contains("AddressLost");
    }

    @Test
    void aDisposalTakenUpAgainIsNotForgottenWhenItsThreadIsFasterThanTheStart() {
        EngineFixture node = EngineFixture.started(3, 2, 5);
        String doomed = node.cloud.contents().get(0).id().value();
        node.db.commit(List.of(new Change.PutIntent(new Intent(doomed, Intent.Action.DISPOSE, node.time.now(), ""))));
        node.time.settle();
        node.scheduler = new EagerScheduler(node.time);

        node.crashAndStart();

        assertThat(node.cloud.contents()).noneMatch(r -> r.id().value().equals(doomed));
        assertThat(node.db.contents().intents()).isEmpty();
        assertThat(node.count(ResourceState.DISPOSING)).isZero();
    }

    @Test
    void aListThatIsEmptyForOnceAfterACrashTakesNothing() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.listsNext(List.of());

        node.crashAndStart();

        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
        assertThat(node.events.types()).doesNotContain("AddressLost");
    }

    /** Terway: the pool had it in use, the database had no row, and after a restart it was idle: two pods, one IP. */
    @Test
    void anAddWhoseRowNeverReachedTheDiskLeavesNoPodWithAnAddressThatIsIdle() {
        EngineFixture node = EngineFixture.started(2, 1, 5);
        node.pods.put("default/a");
        node.db.broken(true);
        CompletableFuture<AddOutcome> refused = node.adding("default/a", "c-a", Duration.ofSeconds(5));
        assertThat(EngineFixture.code(refused)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.kernel.connected())
                .as("nobody is connected before the row is on disk")
                .isEmpty();
        node.db.broken(false);

        node.crashAndStart();

        assertThat(node.count(ResourceState.IN_USE)).isZero();
        assertThat(node.kernel.connected()).isEmpty();
        Lease first = node.add("default/a", "c-a2");
        Lease second = node.add("default/b", "c-b");
        assertThat(EngineFixture.host(first)).isNotEqualTo(EngineFixture.host(second));
    }

    /** Undone, but the row's removal took so long that it was given up, and the sandbox asked again meanwhile. */
    @Test
    void aLeaseToldAgainWhileTheRemovalOfItsRowIsStillOnItsWayOutlivesACrash() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("default/a");
        CompletableFuture<Void> connected = node.kernel.holdSetUps();
        CompletableFuture<AddOutcome> refused = node.adding("default/a", "c-a", Duration.ofSeconds(60));
        node.disk = Duration.ofSeconds(15);
        connected.completeExceptionally(new IOException("no such device"));
        node.time.advance(Duration.ofSeconds(11));
        assertThat(refused).isCompletedExceptionally();
        assertThat(node.events.types()).contains("LeaseNotUndone");
        node.kernel.holdSetUps().complete(null);

        CompletableFuture<AddOutcome> again = node.adding("default/a", "c-a", Duration.ofSeconds(60));
        assertThat(again).as("not before the row is on disk again").isNotDone();
        node.time.advance(Duration.ofSeconds(30));

        assertThat(again).isCompleted();
        assertThat(again.join().repeated()).isTrue();
        node.disk = Duration.ZERO;
        node.crashAndStart();
        assertThat(node.engine.leases())
                .singleElement()
                .satisfies(lease -> assertThat(EngineFixture.host(lease))
                        .isEqualTo(EngineFixture.host(again.join().lease())));
    }

    /** The same, when a DEL was given up. */
    @Test
    void aLeaseToldAgainAfterADelThatTheDiskTookTooLongForOutlivesACrash() {
        EngineFixture node = new EngineFixture(3, EngineFixture.config(0, 5, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/a", "c-a");
        node.disk = Duration.ofSeconds(40);
        CompletableFuture<DelOutcome> given = node.engine.del(EngineFixture.owner("c-a"));
        node.time.advance(Duration.ofSeconds(31));
        assertThat(EngineFixture.code(given)).isEqualTo(ErrorCode.STORE_FAILED);

        CompletableFuture<AddOutcome> again = node.adding("default/a", "c-a", Duration.ofSeconds(120));
        node.time.advance(Duration.ofSeconds(60));

        assertThat(again).isCompleted();
        node.disk = Duration.ZERO;
        node.crashAndStart();
        assertThat(node.engine.leases())
                .singleElement()
                .satisfies(left -> assertThat(EngineFixture.host(left)).isEqualTo(EngineFixture.host(lease)));
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);
    }

    @Test
    void aDisposalThatWasBegunIsFinished() {
        EngineFixture node = EngineFixture.started(3, 2, 5);
        String doomed = node.cloud.contents().get(0).id().value();
        node.db.commit(List.of(new Change.PutIntent(new Intent(doomed, Intent.Action.DISPOSE, node.time.now(), ""))));
        node.time.settle();

        node.crashAndStart();

        assertThat(node.cloud.contents()).noneMatch(r -> r.id().value().equals(doomed));
        assertThat(node.db.contents().intents()).isEmpty();
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void anIntentionToCreateIsSettledByTheCloudsBooks() {
        EngineFixture node = EngineFixture.started(3, 1, 5);
        node.db.commit(
                List.of(new Change.PutIntent(new Intent("enipam-lost", Intent.Action.CREATE, node.time.now(), ""))));
        node.time.settle();

        node.crashAndStart();

        assertThat(node.db.contents().intents()).isEmpty();
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(1);
    }

    @Test
    void anEngineThatStopsTurnsWaitersAway() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        node.add("default/a", "c-a");
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> waiting = node.adding("default/b", "c-b", Duration.ofSeconds(30));

        node.engine.close();
        node.time.settle();

        assertThat(EngineFixture.failure(waiting)).hasMessageContaining("stopping");
        assertThat(node.engine.status().phase()).isEqualTo(EngineStatus.Phase.STOPPED);
    }

    @Test
    void aHoldUntilTheEndOfTimeDoesNotStopTheStart() {
        EngineFixture node = EngineFixture.started(2, 1, 5);
        Lease lease = node.add("default/a", "c-a");
        node.del("c-a");
        node.db.commit(List.of(new Change.PutHold(new Hold(
                lease.resource(),
                Hold.Purpose.COOLING,
                lease.pod(),
                Instant.parse("9999-12-31T00:00:00Z"),
                Duration.ZERO))));
        node.time.settle();

        node.crashAndStart();

        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.COOLING);
    }

    @Test
    void ofTwoHoldsOfOneAddressTheLaterOneCountsAndTheStartGoesOn() {
        EngineFixture node = EngineFixture.started(2, 1, 5);
        Lease lease = node.add("default/a", "c-a");
        node.del("c-a");
        Instant now = node.time.now();
        Hold reserved =
                new Hold(lease.resource(), Hold.Purpose.RESERVED, lease.pod(), now.plusSeconds(40), Duration.ZERO);
        Hold cooling =
                new Hold(lease.resource(), Hold.Purpose.COOLING, lease.pod(), now.plusSeconds(20), Duration.ZERO);
        for (List<Hold> both : List.of(List.of(reserved, cooling), List.of(cooling, reserved))) {
            node.db.foreignHolds(both);

            node.crashAndStart();

            assertThat(node.entry(lease).state()).isEqualTo(ResourceState.RESERVED);
            assertThat(node.events.types()).contains("HeldTwice");
        }
    }
}

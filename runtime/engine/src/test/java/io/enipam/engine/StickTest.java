package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A StatefulSet's pod that is made anew, and who may have its address meanwhile. */
class StickTest {
    private static final String WEB = "default/web-0";
    private static final Duration STICK = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration COOL_DOWN = Duration.ofSeconds(3);

    @Test
    void terwayGaveAReservedAddressToWhoeverCameAndDeletedTheRowSoThatNobodyFoundItAgain() {
        EngineFixture node = EngineFixture.started(4, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.del("c-1");
        assertThat(node.db.contents().holds())
                .singleElement()
                .satisfies(hold -> assertThat(hold.pod()).isEqualTo(PodRef.parse(WEB)));
        for (int i = 0; i < 3; i++) {
            assertThat(EngineFixture.host(node.add("default/other-" + i, "c-other-" + i)))
                    .as("there is room elsewhere: idle or to be made")
                    .isNotEqualTo(EngineFixture.host(before));
        }

        Lease after = web(node, "uid-2", "c-2");

        assertThat(EngineFixture.host(after)).isEqualTo(EngineFixture.host(before));
        assertThat(after.podUid()).isEqualTo("uid-2");
        assertThat(node.db.contents().holds()).isEmpty();
    }

    @Test
    void whileTheCloudIsSlowToMakeAnotherNobodyGetsWhatIsKept() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.del("c-1");
        node.cloud.down(true);
        node.pods.put("default/other");
        CompletableFuture<AddOutcome> other = node.adding("default/other", "c-other", PATIENCE);

        node.time.advance(PATIENCE);

        assertThat(EngineFixture.code(other))
                .as("there is room, and nothing comes")
                .isEqualTo(ErrorCode.POOL_EXHAUSTED);
        assertThat(EngineFixture.host(web(node, "uid-2", "c-2"))).isEqualTo(EngineFixture.host(before));
    }

    @Test
    void nobodyGetsWhatIsKeptWhileTheLastAddressThatThereIsRoomForIsBeingMadeForHim() {
        AtomicReference<Duration> latency = new AtomicReference<>(Duration.ZERO);
        EngineFixture node = new EngineFixture(
                EngineFixture.config(0, 5, Duration.ZERO),
                time -> new MemoryFactory(time, 2, latency::get, Optional::empty));
        node.start();
        Lease before = web(node, "uid-1", "c-1");
        node.del("c-1");
        latency.set(PATIENCE.multipliedBy(3).dividedBy(4));
        CompletableFuture<AddOutcome> other = coming(node, "default/other", "c-other");

        node.time.advance(PATIENCE.dividedBy(2).plusSeconds(1));
        assertThat(other).as("its own address is under way").isNotDone();
        node.time.advance(PATIENCE.dividedBy(2));

        assertThat(EngineFixture.host(other.join().lease())).isNotEqualTo(EngineFixture.host(before));
        assertThat(EngineFixture.host(web(node, "uid-2", "c-2"))).isEqualTo(EngineFixture.host(before));
    }

    @Test
    void onAFullNodeAPodThatIsMadeAnewWithoutDelayStillFindsItsAddress() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.add("default/other", "c-other");
        node.del("c-1");
        CompletableFuture<AddOutcome> third = coming(node, "default/third", "c-third");
        node.time.advance(PATIENCE.dividedBy(2).minusSeconds(1));
        assertThat(third).isNotDone();

        assertThat(EngineFixture.host(web(node, "uid-2", "c-2"))).isEqualTo(EngineFixture.host(before));

        node.time.advance(PATIENCE);
        assertThat(EngineFixture.code(third)).isEqualTo(ErrorCode.POOL_EXHAUSTED);
    }

    @Test
    void onAFullNodeWhoHasWaitedHalfItsTimeGetsTheReservationThatWouldEndFirstAndThatIsTold() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        Lease long1 = sticky(node, "default/db-0", Duration.ofHours(1), "uid-db", "c-db");
        Lease short1 = web(node, "uid-1", "c-1");
        node.add("default/other", "c-other");
        node.del("c-db");
        node.del("c-1");
        CompletableFuture<AddOutcome> third = coming(node, "default/third", "c-third");

        node.time.advance(PATIENCE.dividedBy(2));

        Lease got = third.join().lease();
        assertThat(EngineFixture.host(got)).isEqualTo(EngineFixture.host(short1));
        assertThat(node.db.contents().holds())
                .as("db-0's is left alone, and the hold of what was taken is off the disk")
                .extracting(Hold::resource)
                .containsExactly(long1.resource());
        assertThat(node.events.types()).contains("ReservationTaken");
        node.crashAndStart();
        CompletableFuture<AddOutcome> back = coming(node, WEB, "c-2");
        node.time.advance(PATIENCE.dividedBy(2));
        assertThat(EngineFixture.host(back.join().lease()))
                .as("who comes back too late is one more caller")
                .isEqualTo(EngineFixture.host(long1));
    }

    @Test
    void theQueueKeepsItsOrderWhenAReservationIsTaken() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        web(node, "uid-1", "c-1");
        node.del("c-1");
        node.pods.put("default/patient");
        node.pods.put("default/hasty");
        CompletableFuture<AddOutcome> first = node.adding("default/patient", "c-patient", Duration.ofMinutes(2));
        CompletableFuture<AddOutcome> second = node.adding("default/hasty", "c-hasty", Duration.ofSeconds(4));

        node.time.advance(Duration.ofSeconds(2));

        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
    }

    @Test
    void aReservationThatComesWhileSomebodyHasWaitedLongIsNotKeptBeforeHisEyes() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        web(node, "uid-1", "c-1");
        CompletableFuture<AddOutcome> waiting = coming(node, "default/other", "c-other");
        node.time.advance(PATIENCE.dividedBy(2).plusSeconds(1));
        assertThat(waiting).isNotDone();

        node.del("c-1");
        node.time.settle();

        assertThat(waiting).isCompleted();
        assertThat(node.db.contents().holds()).isEmpty();
    }

    @Test
    void aReservationTakenByAnAddThatComesToNothingIsThePodsAgain() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.del("c-1");
        CompletableFuture<AddOutcome> other = coming(node, "default/other", "c-other");
        node.db.broken(true);
        node.time.advance(PATIENCE.dividedBy(2));
        assertThat(other).isCompletedExceptionally();
        node.db.broken(false);
        node.time.advance(Duration.ofMinutes(1));

        assertThat(node.entry(before).state()).isEqualTo(ResourceState.RESERVED);
        assertThat(EngineFixture.host(web(node, "uid-2", "c-2"))).isEqualTo(EngineFixture.host(before));
    }

    @Test
    void whoAsksForNoStickTimeHasNone() {
        EngineFixture node = EngineFixture.started(1, 0, 5);
        sticky(node, WEB, Duration.ZERO, "uid-1", "c-1");
        node.del("c-1");

        assertThat(node.count(ResourceState.RESERVED)).isZero();
        assertThat(node.add("default/other", "c-other")).isNotNull();
    }

    @Test
    void anAnnotationThatWasChangedSinceTheAddCounts() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.pods.put(WEB, "uid-1", false, Duration.ofHours(2));
        collect(node);
        node.del("c-1");

        node.time.advance(Duration.ofMinutes(90));
        assertThat(node.entry(before).state()).isEqualTo(ResourceState.RESERVED);
        node.time.advance(Duration.ofMinutes(31));
        assertThat(node.count(ResourceState.RESERVED)).isZero();
    }

    @Test
    void theSuccessorsAnnotationSaysNothingOfItsPredecessor() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.pods.put(WEB, "uid-2", false, Duration.ZERO);
        collect(node);

        assertThat(node.entry(before).state()).isEqualTo(ResourceState.RESERVED);
    }

    @Test
    void aReservationOutlivesTheDaemon() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.del("c-1");

        node.crashAndStart();

        assertThat(EngineFixture.host(node.add("default/other", "c-other"))).isNotEqualTo(EngineFixture.host(before));
        assertThat(EngineFixture.host(web(node, "uid-2", "c-2"))).isEqualTo(EngineFixture.host(before));
    }

    @Test
    void aClockThatJumpsADayAheadOrBackChangesNothingWhileTheDaemonRuns() {
        for (Duration jump : List.of(Duration.ofDays(1), Duration.ofDays(-1))) {
            EngineFixture node = EngineFixture.started(3, 0, 5);
            Lease before = web(node, "uid-1", "c-1");
            node.del("c-1");
            node.time.setClock(jump);
            node.time.advance(STICK.minusSeconds(10));
            assertThat(EngineFixture.host(node.add("default/other", "c-other")))
                    .isNotEqualTo(EngineFixture.host(before));
            assertThat(node.entry(before).state()).isEqualTo(ResourceState.RESERVED);

            node.time.advance(Duration.ofSeconds(20));

            assertThat(node.count(ResourceState.RESERVED)).isZero();
        }
    }

    @Test
    void aCoolDownIsWholeWhateverTheClockDoesWhileItsBeginningIsWritten() {
        for (Duration jump : List.of(Duration.ZERO, Duration.ofHours(8), Duration.ofHours(-8))) {
            EngineFixture node = new EngineFixture(2, EngineFixture.config(0, 5, COOL_DOWN));
            node.start();
            Lease before = node.add("default/a", "c-1");
            node.disk = Duration.ofSeconds(2);
            CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-1"));
            node.time.advance(Duration.ofSeconds(1));
            node.time.setClock(jump);
            node.time.advance(Duration.ofSeconds(1));
            assertThat(del).isCompleted();

            node.time.advance(COOL_DOWN.minusMillis(1));
            assertThat(node.entry(before).state()).as("set by " + jump).isEqualTo(ResourceState.COOLING);
            node.time.advance(Duration.ofSeconds(5));
            assertThat(node.count(ResourceState.COOLING)).isZero();
        }
    }

    @Test
    void aClockThatWentBackADayBeforeARestartKeepsNobodysAddressForADay() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        Lease before = web(node, "uid-1", "c-1");
        node.del("c-1");
        node.time.setClock(Duration.ofDays(-1));
        node.crashAndStart();
        assertThat(node.entry(before).state()).isEqualTo(ResourceState.RESERVED);

        node.time.advance(STICK.plusSeconds(10));

        assertThat(node.count(ResourceState.RESERVED)).isZero();
        assertThat(node.db.contents().holds()).isEmpty();
    }

    @Test
    void aClockThatWentAheadADayBeforeARestartEndsAReservationAndSharesNothing() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        web(node, "uid-1", "c-1");
        node.del("c-1");
        node.time.setClock(Duration.ofDays(1));
        node.crashAndStart();

        assertThat(node.count(ResourceState.RESERVED)).isZero();
        Lease other = node.add("default/other", "c-other");
        assertThat(EngineFixture.host(web(node, "uid-2", "c-2"))).isNotEqualTo(EngineFixture.host(other));
    }

    @Test
    void whoComesAfterItsTimeGetsWhatIsThereAndSharesNothing() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        web(node, "uid-1", "c-1");
        node.del("c-1");
        node.time.advance(STICK.plusSeconds(1));
        Lease other = node.add("default/other", "c-other");

        Lease after = web(node, "uid-2", "c-2");

        assertThat(EngineFixture.host(after)).isNotEqualTo(EngineFixture.host(other));
    }

    /** The old sandbox may live on for a while: its address is nobody else's before it was disconnected. */
    @Test
    void aPodDeletedByForceWhoseSuccessorComesBeforeTheCollectorHasAnAddressOfItsOwn() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        Lease dead = web(node, "uid-1", "c-1");

        Lease alive = web(node, "uid-2", "c-2");
        assertThat(EngineFixture.host(alive)).isNotEqualTo(EngineFixture.host(dead));
        assertThat(node.kernel.connected()).containsOnlyKeys(dead.owner(), alive.owner());

        assertThat(collect(node).collected())
                .extracting(GcReport.Collected::lease)
                .containsExactly(dead);
        assertThat(node.engine.leases()).containsExactly(alive);
        assertThat(node.kernel.connected()).containsOnlyKeys(alive.owner());
        assertThat(EngineFixture.host(node.add("default/other", "c-other")))
                .isNotIn(EngineFixture.host(dead), EngineFixture.host(alive));
    }

    private static Lease web(EngineFixture node, String uid, String container) {
        return sticky(node, WEB, STICK, uid, container);
    }

    private static Lease sticky(EngineFixture node, String pod, Duration stick, String uid, String container) {
        node.pods.put(pod, uid, false, stick);
        CompletableFuture<AddOutcome> add = node.adding(pod, container, PATIENCE);
        assertThat(add).as("%s is served at once", pod).isCompleted();
        return add.join().lease();
    }

    private static CompletableFuture<AddOutcome> coming(EngineFixture node, String pod, String container) {
        node.pods.put(pod);
        return node.adding(pod, container, PATIENCE);
    }

    private static GcReport collect(EngineFixture node) {
        CompletableFuture<GcReport> gc = node.engine.collect(false);
        node.time.settle();
        return gc.join();
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Change;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The mistakes of terway's daemon of January 2020 around leases and their rows, each played as it happened there: by the
 * number it has in the list that this project keeps. In each story two pods would have had one address, or an address
 * would have been nobody's for ever.
 */
class TerwayRegressionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Release looked at the pod's name alone: a late DEL of the old sandbox freed what the new one had. */
    @Test
    void mistake1ALateDelOfTheOldSandboxTakesTheNewSandboxsAddressAndAThirdPodGetsIt() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "old");
        node.del("old");
        Lease renewed = node.add("default/a", "new");

        assertThat(node.del("old")).isEqualTo(DelOutcome.NOTHING_HELD);

        assertThat(node.engine.leases()).containsExactly(renewed);
        assertThat(EngineFixture.host(node.add("default/third", "third"))).isNotEqualTo(EngineFixture.host(renewed));
    }

    /** {@code err :=} inside a block hid the error from the deferred rollback, which then found nothing to undo. */
    @TestFactory
    Stream<DynamicTest> mistake2AnErrorThatTheRollbackDoesNotSeeLeavesAddressAndRowBehind() {
        return Stream.of(
                mishap("the pod is gone", (node, on) -> {
                    if (on) {
                        node.pods.remove("default/a");
                    } else {
                        node.pods.put("default/a");
                    }
                }),
                mishap("the row cannot be written", (node, on) -> node.db.broken(on)),
                mishap("the kernel refuses", (node, on) -> node.kernel.failSetUp(on)));
    }

    private static DynamicTest mishap(String name, Mishap mishap) {
        return DynamicTest.dynamicTest(name, () -> {
            EngineFixture node = EngineFixture.started(1, 1, 5);
            node.pods.put("default/a");
            mishap.set(node, true);
            assertThat(node.adding("default/a", "c-a", PATIENCE)).isCompletedExceptionally();
            mishap.set(node, false);

            assertThat(node.count(ResourceState.IN_USE)).isZero();
            assertThat(node.rows()).isEmpty();
            assertThat(node.kernel.connected()).isEmpty();
            // there is one address: were anything left behind, nobody would get it
            node.add("default/b", "c-b");
        });
    }

    /** Something that goes wrong, or right again. */
    private interface Mishap {
        void set(EngineFixture node, boolean on);
    }

    /** Release took no lock of the pod's: a DEL in the middle of an ADD freed the address that the ADD then answered with. */
    @Test
    void mistake3ADelInTheMiddleOfTheSamePodsAddFreesTheAddressItIsAboutToGet() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        node.pods.put("default/a");
        CompletableFuture<Void> kernel = node.kernel.holdSetUps();
        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", PATIENCE);
        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-a"));
        node.time.settle();
        assertThat(add).isNotDone();
        assertThat(del).as("waits for its turn").isNotDone();
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);

        kernel.complete(null);
        node.time.settle();

        Lease granted = add.join().lease();
        assertThat(del.join().released()).contains(granted);
        assertThat(node.rows()).isEmpty();
        assertThat(node.kernel.connected()).isEmpty();
        assertThat(node.count(ResourceState.IN_USE)).isZero();
    }

    /** The daemon died between the pool and the row: after the restart the address was idle while the pod had it. */
    @Test
    void mistake4AnAddressInUseWithoutARowIsIdleAfterARestartAndASecondPodGetsIt() {
        EngineFixture node = EngineFixture.started(2, 0, 5);
        Lease first = node.add("default/a", "c-a");
        // the row is lost, the pod runs on
        node.db.commit(List.of(new Change.RemoveLease(first.owner())));
        node.time.settle();

        node.crashAndStart();

        assertThat(EngineFixture.host(node.add("default/b", "c-b"))).isNotEqualTo(EngineFixture.host(first));
        assertThat(node.del("c-a").released()).as("its DEL finds it").isPresent();
    }

    /** The key was looked up before, and written after, the allocation: the same question twice at once had two answers. */
    @Test
    void mistake5TheSameSandboxAskedForTwiceIsGrantedTwoAddresses() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("default/a");
        node.disk = Duration.ofMillis(5);
        CompletableFuture<AddOutcome> once = node.adding("default/a", "c-a", PATIENCE);
        CompletableFuture<AddOutcome> twice = node.adding("default/a", "c-a", PATIENCE);
        node.time.advance(Duration.ofMillis(20));

        assertThat(twice.join().lease()).isEqualTo(once.join().lease());
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);

        node.crashAndStart();
        CompletableFuture<AddOutcome> again = node.adding("default/a", "c-a", PATIENCE);
        node.time.advance(Duration.ofMillis(20));
        assertThat(again.join().lease()).isEqualTo(once.join().lease());
        assertThat(node.rows()).containsExactly("c-a");
    }

    /** The key was NAMESPACE/NAME: the pod that came after one of the same name was taken for it, with all it had. */
    @Test
    void mistake6APodThatWasMadeAnewInheritsTheAddressOfItsDeadNamesake() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("default/a", "uid-1", false, Duration.ZERO);
        Lease dead = node.adding("default/a", "c-1", PATIENCE).join().lease();
        // no DEL comes; the API server has another pod by the same name
        node.pods.put("default/a", "uid-2", false, Duration.ZERO);
        Lease alive = node.adding("default/a", "c-2", PATIENCE).join().lease();

        assertThat(EngineFixture.host(alive)).isNotEqualTo(EngineFixture.host(dead));
        assertThat(alive.podUid()).isEqualTo("uid-2");

        assertThat(collect(node).collected())
                .extracting(GcReport.Collected::lease)
                .containsExactly(dead);
        assertThat(node.engine.leases()).containsExactly(alive);
        assertThat(node.kernel.connected()).containsOnlyKeys(alive.owner());
    }

    /** With the database gone, what the pods had was idle, and was handed out to others. */
    @Test
    void mistake7ALostDatabaseMakesTheAddressesOfRunningPodsIdle() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        Lease a = node.add("default/a", "c-a");
        Lease b = node.add("default/b", "c-b");
        node.db.lose();

        node.crashAndStart();

        Lease third = node.add("default/c", "c-c");
        assertThat(List.of(EngineFixture.host(a), EngineFixture.host(b))).doesNotContain(EngineFixture.host(third));
        assertThat(node.engine.lease(a.owner()).map(EngineFixture::host)).contains(EngineFixture.host(a));
        assertThat(node.engine.lease(b.owner()).map(EngineFixture::host)).contains(EngineFixture.host(b));
        assertThat(node.rows()).containsExactly("c-a", "c-b", "c-c");
    }

    /** GC built a set of the addresses in use and never looked into it: the dead pod's row freed the live pod's address. */
    @TestFactory
    Stream<DynamicTest> mistake8TwoRowsOneAddressOnePodDeadAndTheLivePodsAddressIsFreed() {
        return Stream.of(Duration.ofMinutes(-1), Duration.ofMinutes(1))
                .map(age -> DynamicTest.dynamicTest(
                        "the dead pod's row is " + (age.isNegative() ? "older" : "newer"), () -> {
                            EngineFixture node = EngineFixture.started(2, 0, 5);
                            Lease live = node.add("default/live", "c-live");
                            Lease dead = new Lease(
                                    EngineFixture.owner("c-dead"),
                                    PodRef.parse("default/dead"),
                                    "uid-of-default/dead",
                                    live.resource(),
                                    Duration.ZERO,
                                    live.since().plus(age));
                            node.db.commit(List.of(new Change.PutLease(dead)));
                            node.time.settle();
                            node.crashAndStart();

                            collect(node);

                            assertThat(node.engine.lease(live.owner())).isPresent();
                            assertThat(node.rows()).containsExactly("c-live");
                            assertThat(EngineFixture.host(node.add("default/other", "c-other")))
                                    .isNotEqualTo(EngineFixture.host(live));
                        }));
    }

    /** GC ended a row by releasing its address, which failed when the address was idle already, and began anew with the same row. */
    @Test
    void mistake9ARowWhoseAddressIsIdleAlreadyStopsEveryGarbageCollectionForEver() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        Lease held = node.add("default/held", "c-held");
        Lease taken = node.add("default/taken", "c-taken");
        Lease plain = node.add("default/plain", "c-plain");
        // the one's address has a hold beside its row, as if it had been given back; the other's is gone from the cloud
        node.db.commit(List.of(new Change.PutHold(new Hold(
                held.resource(),
                Hold.Purpose.COOLING,
                held.pod(),
                node.time.now().plusSeconds(60),
                Duration.ZERO))));
        node.time.settle();
        node.cloud.lose(taken.resource().id());
        node.crashAndStart();
        Stream.of("default/held", "default/taken", "default/plain").forEach(node.pods::remove);

        GcReport report = collect(node);

        assertThat(report.problems()).isEmpty();
        assertThat(report.collected())
                .extracting(collected -> collected.lease().owner())
                .containsExactlyInAnyOrder(held.owner(), taken.owner(), plain.owner());
        assertThat(node.rows()).isEmpty();
        assertThat(collect(node).examined()).isZero();
    }

    private static GcReport collect(EngineFixture node) {
        CompletableFuture<GcReport> gc = node.engine.collect(false);
        node.time.settle();
        return gc.join();
    }
}

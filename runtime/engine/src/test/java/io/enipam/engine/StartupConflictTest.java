package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Starts where database, kernel and API server contradict each other, and what must not come of it. */
class StartupConflictTest {
    private static InetAddress ip(Lease lease) {
        return lease.resource().addresses().get(0).ip();
    }

    private static void write(EngineFixture node, Change... changes) {
        node.db.commit(List.of(changes));
        node.time.settle();
    }

    private static void connect(EngineFixture node, String container, String pod, InetAddress address) {
        node.kernel.put(
                new Attachment(EngineFixture.owner(container), Optional.of(PodRef.parse(pod)), "", Set.of(address)));
    }

    /** What the active factory made is a leaving one's from the next start on. */
    private static void leave(EngineFixture node) {
        node.leaving.add(node.active);
        node.active = new NamedFactory(
                "new", new MemoryFactory("eni-new", 9, node.time, 6, () -> Duration.ZERO, Optional::empty));
    }

    private static void waitFor(EngineFixture node, Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            node.time.advance(Duration.ofSeconds(1));
        }
    }

    private static void reconcile(EngineFixture node) {
        node.engine.reconcile();
        node.time.settle();
        waitFor(node, Duration.ofSeconds(3));
    }

    private static void nothingIsSharedBy(EngineFixture node) {
        assertThat(node.engine.leases()).extracting(EngineFixture::host).doesNotHaveDuplicates();
        assertThat(node.engine.leases())
                .allSatisfy(lease -> assertThat(node.engine.pool().entries().stream()
                                .filter(entry -> entry.owner().equals(Optional.of(lease.owner())))
                                .map(PoolView.Entry::resource))
                        .containsExactly(lease.resource()));
        assertThat(node.db.contents().leases()).containsExactlyInAnyOrderElementsOf(node.engine.leases());
    }

    @Test
    void theOlderOfTwoRowsWhoseSandboxHasMovedTakesNothingFromTheNewerOne() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease newer = node.add("d/q", "cq");
        Lease moved = node.add("d/p", "cp");
        write(
                node,
                new Change.PutLease(new Lease(
                        moved.owner(),
                        moved.pod(),
                        moved.podUid(),
                        newer.resource(),
                        moved.stick(),
                        newer.since().minusSeconds(100))));

        node.crashAndStart();

        assertThat(node.engine.lease(newer.owner())).contains(newer);
        assertThat(node.engine.lease(moved.owner()).map(EngineFixture::host)).contains(EngineFixture.host(moved));
        nothingIsSharedBy(node);
        reconcile(node);
        assertThat(EngineFixture.host(node.add("d/x", "cx")))
                .isNotIn(EngineFixture.host(newer), EngineFixture.host(moved));
    }

    @Test
    void aLostDatabaseWaitsForTheListOfPodsThoughTheKernelTellsOfNobody() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease lease = node.add("d/p", "cp");
        node.pods.addressed("d/p", List.of(ip(lease)));
        node.kernel.tearDown(lease.owner());
        node.db.lose();
        node.pods.down(true);
        node.crash();
        CompletableFuture<Void> started = node.engine.start();
        waitFor(node, Duration.ofMinutes(2));
        assertThat(started).isNotDone();
        assertThat(node.engine.status().detail()).contains("the database is new or lost, so the list is needed");

        node.pods.down(false);
        waitFor(node, Duration.ofMinutes(1));

        assertThat(started).isCompleted();
        assertThat(EngineFixture.host(node.add("d/q", "cq"))).isNotEqualTo(EngineFixture.host(lease));
    }

    @Test
    void anAddOfASandboxWhoseLeaseIsBeingRebuiltAndTheRebuildMakeOneLease() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease lease = node.add("d/p", "cp");
        node.kernel.tellPods(false);
        write(node, new Change.RemoveLease(lease.owner()));
        leave(node);
        node.crash();
        node.cloud.listsAfter(Duration.ofSeconds(5));
        node.engine.start();
        node.time.settle();
        waitFor(node, Duration.ofSeconds(3));
        node.disk = Duration.ofMillis(1500);
        waitFor(node, Duration.ofSeconds(1));

        CompletableFuture<AddOutcome> add = node.adding("d/p", "cp", Duration.ofSeconds(20));
        waitFor(node, Duration.ofSeconds(15));

        assertThat(add).isCompleted();
        node.disk = Duration.ZERO;
        reconcile(node);
        nothingIsSharedBy(node);
        String has = EngineFixture.host(add.join().lease());
        assertThat(node.engine.leases()).extracting(EngineFixture::host).containsExactly(has);
        assertThat(node.kernel.attached().toCompletableFuture().join())
                .singleElement()
                .satisfies(sandbox -> assertThat(sandbox.addresses())
                        .containsExactly(ip(add.join().lease())));
        assertThat(EngineFixture.host(node.add("d/x", "cx"))).isNotEqualTo(has);
    }

    @Test
    void anAddressThatCoolsDownAndThatASandboxUsesIsNotTakenBackByItsLeavingFactory() {
        EngineFixture node = new EngineFixture(6, EngineFixture.config(0, 6, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("d/p", "cp");
        write(
                node,
                new Change.RemoveLease(lease.owner()),
                new Change.PutHold(new Hold(
                        lease.resource(),
                        Hold.Purpose.COOLING,
                        PodRef.parse("d/z"),
                        node.time.now().plusSeconds(30),
                        Duration.ZERO)));
        leave(node);
        node.crash();
        node.cloud.listsAfter(Duration.ofSeconds(5));
        node.engine.start();
        node.time.settle();
        waitFor(node, Duration.ofMinutes(1));

        assertThat(node.engine.leases())
                .singleElement()
                .satisfies(back -> assertThat(back.resource().id())
                        .isEqualTo(lease.resource().id()));
        assertThat(node.cloud.contents())
                .extracting(Resource::id)
                .contains(lease.resource().id());
        assertThat(node.db.contents().holds()).isEmpty();
        nothingIsSharedBy(node);
    }

    @Test
    void aSandboxIsNotTakenForThePodThatHadItsAddressBefore() {
        EngineFixture node = EngineFixture.started(1, 0, 1);
        Lease former = node.add("d/p1", "c1");
        node.pods.addressed("d/p1", List.of(ip(former)));
        node.engine.collect(false);
        node.time.settle();
        node.time.advance(Duration.ofMinutes(1));
        node.del("c1");
        node.pods.remove("d/p1");
        Lease lease = node.add("d/p2", "c2");
        node.time.advance(Duration.ofMinutes(6));
        node.kernel.tellPods(false);
        write(node, new Change.RemoveLease(lease.owner()));
        node.crashAndStart();

        node.engine.collect(false);
        node.time.settle();

        assertThat(node.engine.leases())
                .extracting(Lease::owner)
                .as("the API server may yet tell whose it is")
                .containsExactly(lease.owner());
        assertThat(node.kernel.connected()).containsKey(lease.owner());
    }

    @Test
    void theAddressOfTwoSandboxesIsLentToNobodyElseWhenTheOneWithTheLeaseGivesItBack() {
        for (Duration coolDown : List.of(Duration.ZERO, Duration.ofSeconds(30))) {
            EngineFixture node = new EngineFixture(2, EngineFixture.config(1, 2, coolDown));
            node.start();
            Lease winner = node.add("d/p", "cp");
            node.pods.put("d/o");
            connect(node, "co", "d/o", ip(winner));
            node.crashAndStart();
            assertThat(node.engine.leases()).containsExactly(winner);

            node.del("cp");
            waitFor(node, Duration.ofSeconds(40));
            assertThat(EngineFixture.host(node.add("d/r", "cr"))).isNotEqualTo(EngineFixture.host(winner));
            assertThat(node.db.contents().holds()).isEmpty();
            reconcile(node);

            assertThat(node.engine.lease(EngineFixture.owner("co")).map(EngineFixture::host))
                    .as("the other sandbox has a lease of what it uses")
                    .contains(EngineFixture.host(winner));
            nothingIsSharedBy(node);
            node.del("co");
            node.del("cr");
            waitFor(node, Duration.ofSeconds(40));
            reconcile(node);
            assertThat(node.engine.leases()).isEmpty();
            assertThat(node.count(ResourceState.IN_USE)).isZero();
        }
    }

    @Test
    void aDelThatCameBeforeThePoolWasBuiltIsNotTakenBackOnAnOldWordOfTheApiServer() {
        EngineFixture node = new EngineFixture(6, EngineFixture.config(0, 6, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("d/p", "cp");
        node.pods.addressed("d/p", List.of(ip(lease)));
        node.crash();
        node.cloud.listsAfter(Duration.ofSeconds(3));
        node.engine.start();
        node.time.settle();

        assertThat(node.del("cp").released()).isPresent();
        waitFor(node, Duration.ofSeconds(20));

        assertThat(node.engine.status().phase()).isEqualTo(Phase.READY);
        assertThat(node.engine.leases()).isEmpty();
        assertThat(node.rows()).isEmpty();
        assertThat(node.db.contents().holds()).as("it cools down").hasSize(1);
    }

    @Test
    void aDiskThatIsFullWhileThePoolIsBuiltKeepsNoDelWaitingAndWhatItEndedStaysEnded() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease lease = node.add("d/p", "cp");
        Lease other = node.add("d/q", "cq");
        write(node, new Change.RemoveLease(lease.owner()));
        node.crash();
        node.db.broken(true);
        node.engine.start();
        node.time.settle();
        waitFor(node, Duration.ofSeconds(2));
        assertThat(node.engine.status().detail()).contains("could not be written", "next try in");

        CompletableFuture<DelOutcome> unknown = node.engine.del(EngineFixture.owner("nobody"));
        CompletableFuture<DelOutcome> ofTheSandbox = node.engine.del(lease.owner());
        CompletableFuture<DelOutcome> ofALease = node.engine.del(other.owner());
        waitFor(node, Duration.ofMinutes(2));
        assertThat(unknown).isCompleted();
        assertThat(ofTheSandbox).isCompleted();
        assertThat(EngineFixture.code(ofALease)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.engine.status().phase()).isEqualTo(Phase.RECOVERING);

        node.db.broken(false);
        waitFor(node, Duration.ofMinutes(1));

        assertThat(node.engine.status().phase()).isEqualTo(Phase.READY);
        assertThat(node.engine.leases()).containsExactly(other);
        nothingIsSharedBy(node);
    }

    @Test
    void aRowThatWasNotAnsweredAndGetsToTheDiskAfterADelIsTakenBack() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease lease = node.add("d/p", "cp");
        write(node, new Change.RemoveLease(lease.owner()));
        node.crash();
        // it gets there, long after nobody waits for it any more
        node.disk = Duration.ofSeconds(75);
        node.engine.start();
        node.time.settle();
        waitFor(node, Duration.ofSeconds(60));
        node.disk = Duration.ZERO;
        CompletableFuture<DelOutcome> del = node.engine.del(lease.owner());
        waitFor(node, Duration.ofMinutes(5));
        assertThat(del).isCompleted();

        assertThat(node.engine.status().phase()).isEqualTo(Phase.READY);
        assertThat(node.engine.leases()).isEmpty();
        assertThat(node.rows()).isEmpty();
    }

    @Test
    void aLeaseThatStaysIsNotMadeAgainForAPodThatHasItsAddressByHearsay() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease p = node.add("d/p", "cp");
        Lease q = node.add("d/q", "cq");
        node.kernel.put(new Attachment(p.owner(), Optional.of(p.pod()), p.podUid(), Set.of(ip(q))));
        node.pods.put("d/r");
        node.pods.addressed("d/r", List.of(ip(p)));

        node.crashAndStart();

        assertThat(node.engine.leases()).containsExactlyInAnyOrder(p, q);
        nothingIsSharedBy(node);
    }

    @Test
    void aRowOfAnAddressThatHasMovedToAnotherInterfaceDoesNotShareItWithTheSandboxThatUsesIt() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        node.add("d/p", "cp");
        Lease q = node.add("d/q", "cq");
        Resource former = new Resource(
                new ResourceId("eni-gone/" + EngineFixture.host(q)),
                q.resource().kind(),
                q.resource().addresses(),
                "eni-gone",
                q.resource().attributes());
        write(
                node,
                new Change.RemoveLease(q.owner()),
                new Change.PutLease(new Lease(
                        EngineFixture.owner("cz"), PodRef.parse("d/z"), "u", former, Duration.ZERO, q.since())));
        node.pods.put("d/z");

        node.crashAndStart();

        assertThat(node.rows()).containsExactly("cp", "cq");
        assertThat(node.engine.lease(q.owner()).map(EngineFixture::host)).contains(EngineFixture.host(q));
        nothingIsSharedBy(node);
        node.del("cz");
        reconcile(node);
        assertThat(EngineFixture.host(node.add("d/x", "cx"))).isNotEqualTo(EngineFixture.host(q));
    }

    @Test
    void anErrorThatNobodyExpectedHaltsTheStartAndDelGoesOn() {
        EngineFixture node = EngineFixture.started(6, 0, 6);
        Lease lease = node.add("d/p", "cp");
        write(node, new Change.PutNode(new NodeRecord(Optional.empty(), false)));
        node.crash();
        node.pods.listNonsense();
        CompletableFuture<Void> started = node.engine.start();
        node.time.settle();
        waitFor(node, Duration.ofSeconds(5));

        assertThat(EngineFixture.code(started)).isEqualTo(ErrorCode.INTERNAL);
        assertThat(node.engine.status().trouble().orElseThrow()).contains("the start-up broke off");
        assertThat(node.del("cp").released()).contains(lease);
    }
}

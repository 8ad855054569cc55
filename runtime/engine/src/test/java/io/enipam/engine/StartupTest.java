package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.startup.StartupProgress.StartupStep;
import io.enipam.engine.startup.StartupProgress.StepReport;
import io.enipam.engine.startup.StartupProgress.StepReport.State;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StartupTest {
    private static StepReport step(EngineFixture node, StartupStep step) {
        return node.engine.status().startup().get(step.ordinal());
    }

    private static Phase phase(EngineFixture node) {
        return node.engine.status().phase();
    }

    private static CompletableFuture<Void> starting(EngineFixture node) {
        CompletableFuture<Void> started = node.engine.start();
        node.time.settle();
        return started;
    }

    private static Set<InetAddress> addresses(Resource resource) {
        return Set.copyOf(resource.addresses().stream().map(Address::ip).toList());
    }

    private static void lose(EngineFixture node) {
        node.crash();
        node.db.lose();
    }

    @Test
    void everyStepIsToldWithHowLongItTook() {
        EngineFixture node = new EngineFixture(3, EngineFixture.config(1, 3, Duration.ZERO));
        node.kernel.failList(true);
        starting(node);
        node.time.advance(Duration.ofSeconds(2));

        assertThat(node.engine.status().startup())
                .extracting(StepReport::state)
                .containsExactly(
                        State.DONE, State.DONE, State.DONE, State.RUNNING, State.WAITING, State.WAITING, State.WAITING);
        assertThat(step(node, StartupStep.KERNEL).took()).isEqualTo(Duration.ofSeconds(2));
        assertThat(step(node, StartupStep.KERNEL).detail()).contains("could not be read", "next try in");
        assertThat(node.engine.status().detail()).startsWith("list the kernel: ");

        node.kernel.failList(false);
        node.time.advance(Duration.ofSeconds(5));
        assertThat(phase(node)).isEqualTo(Phase.READY);
        assertThat(node.engine.status().startup()).extracting(StepReport::state).containsOnly(State.DONE);
        assertThat(step(node, StartupStep.KERNEL).took()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(7));
    }

    @Test
    void whileAnythingIsDownInspectionAndDelWorkAndAddIsToldToTryAgain() {
        EngineFixture node = EngineFixture.started(3, 0, 3);
        Lease lease = node.add("default/a", "c-a");
        node.crash();
        node.cloud.down(true);
        starting(node);

        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", Duration.ofSeconds(5));
        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(EngineFixture.failure(add)).hasMessageContaining("list the cloud");
        assertThat(node.engine.leases()).containsExactly(lease);
        assertThat(node.del("c-a").released()).contains(lease);
        assertThat(node.kernel.connected()).isEmpty();

        node.cloud.down(false);
        node.time.advance(Duration.ofMinutes(1));
        assertThat(phase(node)).isEqualTo(Phase.READY);
        assertThat(node.engine.leases()).as("the DEL was not taken back").isEmpty();
    }

    @Test
    void aDelThatOvertakesTheStartIsNotUndoneByAListOfTheKernelFromBefore() {
        EngineFixture node = EngineFixture.started(3, 0, 3);
        node.add("default/a", "c-a");
        lose(node);
        // settled all the same: an older backup, say
        node.db.commit(List.of(new Change.PutNode(new NodeRecord(Optional.empty(), true))));
        node.time.settle();
        node.pods.down(true);
        starting(node);
        assertThat(step(node, StartupStep.PODS).state()).isEqualTo(State.RUNNING);

        assertThat(node.del("c-a").released()).isEmpty();
        assertThat(node.kernel.connected())
                .as("its side of the kernel is taken down")
                .isEmpty();

        node.pods.down(false);
        node.time.advance(Duration.ofMinutes(1));
        assertThat(phase(node)).isEqualTo(Phase.READY);
        assertThat(node.engine.leases()).isEmpty();
    }

    /** Terway: a lost database made live addresses idle. */
    @Test
    void aLostDatabaseIsRebuiltFromTheKernelBeforeAnythingIsHandedOut() {
        EngineFixture node = EngineFixture.started(4, 1, 4);
        Lease a = node.add("default/a", "c-a");
        Lease b = node.add("default/b", "c-b");
        lose(node);
        node.start();

        assertThat(node.rows()).containsExactly("c-a", "c-b");
        assertThat(node.engine.leases())
                .extracting(EngineFixture::host)
                .containsExactlyInAnyOrder(EngineFixture.host(a), EngineFixture.host(b));
        assertThat(node.db.contents().node()).contains(new NodeRecord(Optional.empty(), true));
        assertThat(EngineFixture.host(node.add("default/c", "c-c")))
                .isNotIn(EngineFixture.host(a), EngineFixture.host(b));
        assertThat(node.adding("default/a", "c-a", Duration.ofSeconds(5)).join().repeated())
                .as("the same sandbox gets the same answer")
                .isTrue();
        assertThat(node.del("c-b").released()).isPresent();
    }

    @Test
    void onALostDatabaseTheApiServerIsWaitedForAndDelWithItAsLongAsSandboxesAreUnknown() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        node.add("default/a", "c-a");
        lose(node);
        node.pods.down(true);
        starting(node);
        node.time.advance(Duration.ofMinutes(30));

        assertThat(step(node, StartupStep.PODS).state()).isEqualTo(State.RUNNING);
        assertThat(step(node, StartupStep.PODS).detail()).contains("the API server is away", "the list is needed");
        CompletableFuture<?> del = node.engine.del(EngineFixture.owner("c-a"));
        node.time.settle();
        assertThat(EngineFixture.code(del)).isEqualTo(ErrorCode.TRY_AGAIN);

        node.pods.down(false);
        node.time.advance(Duration.ofMinutes(1));
        assertThat(phase(node)).isEqualTo(Phase.READY);
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void whereDatabaseAndKernelAgreeTheApiServerIsNotWaitedForLong() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        node.add("default/a", "c-a");
        node.crash();
        node.pods.down(true);
        CompletableFuture<Void> started = starting(node);
        node.time.advance(Duration.ofSeconds(9));
        assertThat(started).isNotDone();

        node.time.advance(Duration.ofSeconds(2));

        assertThat(started).isCompleted();
        assertThat(node.events.types()).contains("PodsUnlisted");
    }

    @Test
    void anAddressThatARunningPodHasByTheApiServerAloneIsLentToNobodyElse() {
        EngineFixture node = EngineFixture.started(1, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.pods.addressed("default/a", List.copyOf(addresses(lease.resource())));
        node.kernel.tearDown(lease.owner());
        lose(node);
        node.start();

        assertThat(node.engine.leases()).singleElement().satisfies(kept -> {
            assertThat(PlaceholderPod.is(kept.owner())).isTrue();
            assertThat(kept.resource()).isEqualTo(lease.resource());
        });
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> other = node.adding("default/b", "c-b", Duration.ofSeconds(5));
        node.time.advance(Duration.ofSeconds(6));
        assertThat(EngineFixture.code(other)).isEqualTo(ErrorCode.POOL_EXHAUSTED);
        assertThat(node.del("c-a").released())
                .as("a DEL of the real sandbox succeeds")
                .isEmpty();

        AddOutcome own = node.adding("default/a", "c-a2", Duration.ofSeconds(5)).join();

        assertThat(EngineFixture.host(own.lease()))
                .as("the pod's own ADD gets it")
                .isEqualTo(EngineFixture.host(lease));
        assertThat(node.rows()).containsExactly("c-a2");
        assertThat(node.del("c-a2").released()).contains(own.lease());
        assertThat(node.count(ResourceState.IN_USE)).isZero();
    }

    @Test
    void whatWasKeptForAPodEndsWhenThePodIsGoneOrHasAnotherAddress() {
        for (boolean gone : List.of(true, false)) {
            EngineFixture node = EngineFixture.started(2, 0, 4);
            Lease lease = node.add("default/a", "c-a");
            node.pods.addressed("default/a", List.copyOf(addresses(lease.resource())));
            node.kernel.tearDown(lease.owner());
            lose(node);
            node.start();
            node.engine.collect(false);
            node.time.settle();
            assertThat(node.engine.leases()).hasSize(1);

            if (gone) {
                node.pods.remove("default/a");
            } else {
                node.pods.addressed("default/a", List.of(Address.literal("10.7.7.7")));
            }
            node.engine.collect(false);
            node.time.settle();

            assertThat(node.engine.leases()).isEmpty();
            assertThat(node.rows()).isEmpty();
        }
    }

    @Test
    void aKeptAddressIsNotInheritedByAnotherPodOfTheName() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.pods.addressed("default/a", List.copyOf(addresses(lease.resource())));
        node.kernel.tearDown(lease.owner());
        lose(node);
        node.start();

        node.pods.put("default/a", "another-uid", false, Duration.ZERO);
        AddOutcome other =
                node.adding("default/a", "c-new", Duration.ofSeconds(5)).join();

        assertThat(EngineFixture.host(other.lease())).isNotEqualTo(EngineFixture.host(lease));
    }

    @Test
    void aSandboxWhosePodNobodyKnewIsNamedByItsNextAdd() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.kernel.tellPods(false);
        lose(node);
        node.start();
        assertThat(node.engine.leases())
                .singleElement()
                .satisfies(
                        unknown -> assertThat(PlaceholderPod.is(unknown.pod())).isTrue());

        AddOutcome named =
                node.adding("default/a", "c-a", Duration.ofSeconds(5)).join();

        assertThat(named.repeated()).isTrue();
        assertThat(named.lease().pod()).isEqualTo(lease.pod());
        assertThat(EngineFixture.host(named.lease())).isEqualTo(EngineFixture.host(lease));
        assertThat(node.db.contents().leases()).containsExactly(named.lease());
    }

    @Test
    void aSandboxWhosePodNobodyKnowsIsCollectedAfterAWhileAndNotBefore() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        node.add("default/a", "c-a");
        node.kernel.tellPods(false);
        lose(node);
        node.pods.remove("default/a");
        node.start();

        node.engine.collect(false);
        node.time.settle();
        assertThat(node.engine.leases()).as("the API server may lag").hasSize(1);

        node.time.advance(Duration.ofMinutes(16));
        assertThat(node.engine.leases()).isEmpty();
        assertThat(node.kernel.connected()).isEmpty();
    }

    @Test
    void anAddressThatTheCloudDoesNotListIsLentToNobodyUntilItsSandboxIsGone() {
        EngineFixture node = EngineFixture.started(3, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.lose(lease.resource().id());
        lose(node);
        node.start();
        assertThat(node.events.types()).contains("AttachmentUnlisted");
        assertThat(node.engine.leases()).isEmpty();

        node.del("c-a");

        assertThat(node.kernel.connected())
                .as("a DEL disconnects it all the same")
                .isEmpty();
    }

    @Test
    void aListThatWasShortTwiceGivesTheSandboxItsLeaseBackAtTheNextComparison() {
        EngineFixture node = EngineFixture.started(3, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        lose(node);
        node.cloud.listsNext(List.of());
        node.cloud.listsNext(List.of());
        node.start();
        assertThat(node.engine.leases()).isEmpty();

        node.engine.reconcile();
        node.time.settle();

        assertThat(node.engine.leases()).singleElement().satisfies(back -> {
            assertThat(back.owner()).isEqualTo(lease.owner());
            assertThat(back.resource()).isEqualTo(lease.resource());
        });
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void theLeasesOfAFactoryThatLeavesAreRebuiltBeforeItTakesAnythingBack() {
        EngineFixture node = EngineFixture.started(3, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        MemoryFactory rack = MemoryFactory.instant(node.time, 5);
        node.leaving.add(node.active);
        node.active = new NamedFactory("rack", rack);
        lose(node);
        node.start();
        node.time.settle();

        assertThat(node.engine.leases())
                .singleElement()
                .satisfies(back -> assertThat(back.owner()).isEqualTo(lease.owner()));
        assertThat(node.cloud.contents()).contains(lease.resource());
    }

    @Test
    void twoRowsOfOneAddressAreSettledForTheSandboxThatIsConnected() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        Lease real = node.add("default/a", "c-a");
        Lease newer = new Lease(
                EngineFixture.owner("c-ghost"),
                PodRef.parse("default/ghost"),
                "",
                real.resource(),
                Duration.ZERO,
                node.time.now().plusSeconds(1));
        node.db.commit(List.of(new Change.PutLease(newer)));
        node.time.settle();

        node.crashAndStart();

        assertThat(node.rows()).containsExactly("c-a");
        assertThat(node.engine.leases()).containsExactly(real);
        assertThat(node.events.types()).contains("LeaseConflict");
        assertThat(node.del("c-a").released()).contains(real);
    }

    @Test
    void aLeaseFollowsItsSandboxToTheAddressItUsesAndTheFormerOneCoolsDown() {
        EngineFixture node = new EngineFixture(3, EngineFixture.config(2, 3, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/a", "c-a");
        Resource other = node.cloud.contents().stream()
                .filter(made -> !made.equals(lease.resource()))
                .findFirst()
                .orElseThrow();
        node.kernel.put(new Attachment(lease.owner(), Optional.of(lease.pod()), "", addresses(other)));

        node.crashAndStart();

        assertThat(node.engine.lease(lease.owner()).orElseThrow().resource()).isEqualTo(other);
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.COOLING);
        assertThat(node.db.contents().leases())
                .singleElement()
                .satisfies(row -> assertThat(row.resource()).isEqualTo(other));
        node.time.advance(Duration.ofSeconds(31));
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IDLE);
        assertThat(node.db.contents().holds()).isEmpty();
    }

    @Test
    void aRebuiltLeaseThatCannotBeWrittenKeepsTheStartFromServing() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        node.add("default/a", "c-a");
        lose(node);
        node.db.broken(true);
        starting(node);
        node.time.advance(Duration.ofMinutes(2));
        assertThat(step(node, StartupStep.POOL).state()).isEqualTo(State.RUNNING);
        assertThat(step(node, StartupStep.POOL).detail()).contains("No space left on device");

        node.db.broken(false);
        node.time.advance(Duration.ofMinutes(1));

        assertThat(phase(node)).isEqualTo(Phase.READY);
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void theMachineIsWrittenIntoTheDatabaseAndFoundThere() {
        EngineFixture node = new EngineFixture(2, EngineFixture.config(0, 2, Duration.ZERO));
        node.machine.complete(new NodeIdentity("i-1", "cn-hangzhou"));
        node.start();
        NodeRecord ours = new NodeRecord(Optional.of(new NodeIdentity("i-1", "cn-hangzhou")), true);
        assertThat(node.db.contents().node()).contains(ours);

        node.crashAndStart();

        assertThat(phase(node)).isEqualTo(Phase.READY);
        assertThat(node.db.contents().node()).contains(ours);
    }

    @Test
    void aMachineThatIsToldWhileServingIsWrittenThen() {
        EngineFixture node = new EngineFixture(2, EngineFixture.config(0, 2, Duration.ZERO));
        node.start();
        node.machine.complete(new NodeIdentity("i-1", "cn-hangzhou"));
        node.time.settle();

        assertThat(node.db.contents().node().flatMap(NodeRecord::identity))
                .contains(new NodeIdentity("i-1", "cn-hangzhou"));
    }

    /** A cloned disk image: its leases are of pods that run elsewhere, and so are its addresses. */
    @Test
    void theDatabaseOfAnotherMachineIsNeverTakenOver() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        node.add("default/a", "c-a");
        NodeRecord theirs = new NodeRecord(Optional.of(new NodeIdentity("i-2", "cn-hangzhou")), true);
        node.db.commit(List.of(new Change.PutNode(theirs)));
        node.time.settle();
        node.machine = CompletableFuture.completedFuture(new NodeIdentity("i-1", "cn-hangzhou"));
        node.crash();
        ResourceDbContents before = ResourceDbContents.of(node);

        CompletableFuture<Void> started = starting(node);
        node.time.advance(Duration.ofMinutes(10));

        assertThat(EngineFixture.failure(started))
                .hasMessageContaining("the database is of instance i-2 in cn-hangzhou");
        assertThat(phase(node)).isEqualTo(Phase.RECOVERING);
        assertThat(node.engine.status().trouble().orElseThrow()).contains("move its database directory aside");
        assertThat(step(node, StartupStep.CLOUD).state()).isEqualTo(State.HALTED);
        assertThat(ResourceDbContents.of(node)).isEqualTo(before);
        assertThat(EngineFixture.code(node.adding("default/b", "c-b", Duration.ofSeconds(5))))
                .isEqualTo(ErrorCode.TRY_AGAIN);
    }

    private record ResourceDbContents(List<Lease> leases, Optional<NodeRecord> node) {
        static ResourceDbContents of(EngineFixture node) {
            return new ResourceDbContents(
                    node.db.contents().leases(), node.db.contents().node());
        }
    }

    @Test
    void whereTheApiServerIsAwayAnAddKeepsToWhatWasSeenOfThePod() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        node.pods.put("default/web-0", "uid-1", false, Duration.ofMinutes(5));
        Lease first = node.adding("default/web-0", "c-1", Duration.ofSeconds(5))
                .join()
                .lease();
        assertThat(node.db.contents().pods()).as("in the lease's own commit").hasSize(1);
        node.crashAndStart();
        node.del("c-1");
        node.pods.down(true);

        Lease second = node.adding("default/web-0", "c-2", Duration.ofSeconds(20))
                .join()
                .lease();

        assertThat(EngineFixture.host(second)).as("its reservation").isEqualTo(EngineFixture.host(first));
        assertThat(second.stick()).isEqualTo(Duration.ofMinutes(5));
        assertThat(second.podUid()).as("it may be another pod of the name").isEmpty();
        assertThat(node.del("c-2").hold()).as("DEL asks nobody").isPresent();
    }

    @Test
    void theCopyOfAPodGoesAnHourAfterThePod() {
        EngineFixture node = EngineFixture.started(2, 0, 4);
        node.add("default/a", "c-a");
        node.pods.remove("default/a");
        node.time.advance(Duration.ofMinutes(50));
        assertThat(node.db.contents().pods()).hasSize(1);
        Instant until = node.db.contents().pods().get(0).expires().orElseThrow();
        node.crashAndStart();
        assertThat(node.db.contents().pods().get(0).expires()).contains(until);

        node.time.advance(Duration.ofMinutes(25));

        assertThat(node.db.contents().pods()).isEmpty();
    }
}

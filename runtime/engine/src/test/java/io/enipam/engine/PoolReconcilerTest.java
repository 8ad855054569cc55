package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport.Kind;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pool is compared with the cloud: what was taken, given back, moved, or is there besides. */
class PoolReconcilerTest {
    private static ReconcileReport reconcile(EngineFixture node) {
        CompletableFuture<ReconcileReport> run = node.engine.reconcile();
        node.time.advance(Duration.ofSeconds(2));
        assertThat(run).isCompleted();
        return run.join();
    }

    /** The list is empty, and an operator says that this is true. */
    private static ReconcileReport accepted(EngineFixture node) {
        return compared(node, true);
    }

    private static List<Event> events(EngineFixture node, String type) {
        return node.events.all().stream().filter(e -> e.type().equals(type)).toList();
    }

    @Test
    void anIdleAddressThatTheCloudTookIsLentToNobody() {
        EngineFixture node = EngineFixture.started(4, 2, 4);
        Resource taken = node.cloud.contents().get(0);
        node.cloud.lose(taken.id());

        ReconcileReport report = reconcile(node);

        assertThat(report.findings())
                .extracting(ReconcileReport.Finding::kind, ReconcileReport.Finding::resource)
                .containsExactly(tuple(Kind.LOST, taken));
        assertThat(events(node, "AddressLost")).singleElement().satisfies(event -> {
            assertThat(event.severity()).isEqualTo(Event.Severity.WARNING);
            assertThat(event.message()).contains("it was idle");
        });
        assertThat(node.engine.pool().entries()).noneMatch(e -> e.resource().equals(taken));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
        assertThat(EngineFixture.host(node.add("default/a", "c-a")))
                .isNotEqualTo(taken.addresses().get(0).host());
    }

    @Test
    void anAddressTakenFromAPodStaysWithThePodAndIsToldOnce() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.lose(lease.resource().id());

        accepted(node);
        reconcile(node);

        assertThat(node.engine.leases()).containsExactly(lease);
        assertThat(node.rows()).containsExactly("c-a");
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.INVALID);
        assertThat(events(node, "AddressLost")).singleElement().satisfies(event -> {
            assertThat(event.severity()).isEqualTo(Event.Severity.ERROR);
            assertThat(event.subject()).isEqualTo("default/a");
            assertThat(event.message()).contains("delete the pod");
            assertThat(event.attributes())
                    .containsAllEntriesOf(Map.of(
                            "pod", "default/a",
                            "address", EngineFixture.host(lease),
                            "eni", lease.resource().parent(),
                            "resource", lease.resource().id().value(),
                            "owner", lease.owner().toString()));
        });
    }

    @Test
    void whenThePodGoesItsLostAddressIsDroppedAndNotIdle() {
        EngineFixture node = new EngineFixture(4, EngineFixture.config(0, 4, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/a", "c-a");
        node.cloud.lose(lease.resource().id());
        accepted(node);

        assertThat(node.del("c-a").released()).contains(lease);
        node.time.settle();

        assertThat(node.engine.pool().entries()).isEmpty();
        assertThat(node.db.contents().holds()).isEmpty();
        assertThat(node.db.contents().intents()).isEmpty();
    }

    @Test
    void aLostAddressDoesNotComeOutOfItsCoolDown() {
        EngineFixture node = new EngineFixture(4, EngineFixture.config(0, 4, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/a", "c-a");
        node.del("c-a");
        node.cloud.lose(lease.resource().id());

        reconcile(node);
        node.time.advance(Duration.ofMinutes(1));

        assertThat(node.engine.pool().entries()).isEmpty();
        assertThat(node.db.contents().holds()).isEmpty();
    }

    @Test
    void aLostReservationIsNotKeptForItsPod() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        node.pods.put("default/web-0", "uid-1", false, Duration.ofMinutes(5));
        Lease before = node.adding("default/web-0", "c-1", Duration.ofSeconds(5))
                .join()
                .lease();
        node.del("c-1");
        node.cloud.lose(before.resource().id());

        reconcile(node);

        assertThat(events(node, "AddressLost"))
                .singleElement()
                .satisfies(event -> assertThat(event.attributes()).containsEntry("pod", "default/web-0"));
        assertThat(node.db.contents().holds()).isEmpty();
        Lease after = node.adding("default/web-0", "c-2", Duration.ofSeconds(5))
                .join()
                .lease();
        assertThat(after.resource()).isNotEqualTo(before.resource());
    }

    @Test
    void anAddressThatComesBackIsItsPodsAgain() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.lose(lease.resource().id());
        accepted(node);
        node.cloud.regain(lease.resource());

        ReconcileReport report = reconcile(node);

        assertThat(report.count(Kind.REGAINED)).isEqualTo(1);
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
        assertThat(events(node, "AddressRegained")).hasSize(1);
        node.del("c-a");
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IDLE);
    }

    @Test
    void whoAsksAgainForASandboxWhoseAddressIsLostIsToldSo() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.lose(lease.resource().id());
        accepted(node);

        CompletableFuture<AddOutcome> again = node.adding("default/a", "c-a", Duration.ofSeconds(5));

        assertThat(EngineFixture.failure(again)).hasMessageContaining("took address " + EngineFixture.host(lease));
        assertThat(node.engine.leases()).containsExactly(lease);
    }

    @Test
    void anAddUnderWayIsNotGivenAnAddressThatTheCloudTook() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        node.pods.put("default/a");
        CompletableFuture<Void> connected = node.kernel.holdSetUps();
        CompletableFuture<AddOutcome> add = node.adding("default/a", "c-a", Duration.ofSeconds(30));
        node.cloud.lose(node.cloud.contents().get(0).id());
        accepted(node);

        connected.complete(null);
        node.time.settle();

        assertThat(EngineFixture.code(add)).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(node.engine.leases()).isEmpty();
        assertThat(node.rows()).isEmpty();
        assertThat(node.kernel.connected()).isEmpty();
        assertThat(node.engine.pool().entries()).isEmpty();
    }

    @Test
    void aCloudThatCannotBeAskedTakesNothing() {
        EngineFixture node = EngineFixture.started(4, 2, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.down(true);

        ReconcileReport report = reconcile(node);

        assertThat(report.findings()).isEmpty();
        assertThat(report.problems()).singleElement().asString().contains("the cloud is away");
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
        assertThat(node.count(ResourceState.INVALID)).isZero();
        assertThat(node.events.types()).contains("ReconcileFailed").doesNotContain("AddressLost");
    }

    @Test
    void anEmptyAnswerIsNotBelievedUntilItIsGivenTwice() {
        EngineFixture node = EngineFixture.started(4, 2, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.listsNext(List.of());

        ReconcileReport once = accepted(node);

        assertThat(once.findings()).isEmpty();
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);

        node.cloud.listsNext(List.of());
        node.cloud.listsNext(List.of());
        assertThat(accepted(node).count(Kind.LOST)).isEqualTo(3);
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.INVALID);
    }

    @Test
    void aSecondLookThatFailsTakesNothing() {
        EngineFixture node = EngineFixture.started(4, 2, 4);
        node.cloud.listsNext(List.of());
        CompletableFuture<ReconcileReport> run = node.engine.reconcile();
        node.time.settle();
        node.cloud.down(true);

        node.time.advance(Duration.ofSeconds(2));

        assertThat(run.join().findings()).isEmpty();
        assertThat(run.join().problems()).hasSize(1);
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void aListThatMakesNoSenseTakesNothing() {
        EngineFixture node = EngineFixture.started(4, 2, 4);
        Resource known = node.cloud.contents().get(0);
        Resource other = new Resource(
                known.id(), new ResourceKind("veth"), known.addresses(), known.parent(), known.attributes());
        node.cloud.listsNext(List.of(other));

        ReconcileReport report = reconcile(node);

        assertThat(report.findings()).isEmpty();
        assertThat(report.problems()).singleElement().asString().contains("makes no sense");
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void anAnswerThatIsOlderThanAnAddressDoesNotTakeIt() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        node.cloud.listsStaleAfter(Duration.ofSeconds(5));
        CompletableFuture<ReconcileReport> run = node.engine.reconcile();
        Lease lease = node.add("default/a", "c-a");

        node.time.advance(Duration.ofSeconds(20));

        assertThat(run.join().findings()).isEmpty();
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
    }

    @Test
    void anAnswerThatIsOlderThanADisposalDoesNotBringTheAddressBack() {
        EngineFixture node = EngineFixture.started(4, 0, 0);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.listsStaleAfter(Duration.ofSeconds(5));
        CompletableFuture<ReconcileReport> run = node.engine.reconcile();
        node.del("c-a");
        assertThat(node.cloud.contents()).isEmpty();

        node.time.advance(Duration.ofSeconds(20));

        assertThat(run.join().findings()).isEmpty();
        assertThat(node.engine.pool().entries()).noneMatch(e -> e.resource().equals(lease.resource()));
    }

    @Test
    void anUnknownAddressJoinsThePoolIfThereIsRoom() {
        EngineFixture node = EngineFixture.started(4, 1, 2);
        Resource unknown = node.cloud.appear();

        ReconcileReport report = reconcile(node);

        assertThat(report.count(Kind.ADOPTED)).isEqualTo(1);
        assertThat(node.events.types()).contains("AddressAdopted");
        assertThat(node.engine.pool().entries())
                .filteredOn(e -> e.resource().equals(unknown))
                .singleElement()
                .satisfies(e -> assertThat(e.state()).isEqualTo(ResourceState.IDLE));
    }

    @Test
    void anUnknownAddressServesWhoWaitsForOne() {
        EngineFixture node = EngineFixture.started(2, 0, 0);
        node.add("default/a", "c-a");
        Resource unknown = node.cloud.appear();
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> waiting = node.adding("default/b", "c-b", Duration.ofMinutes(2));
        assertThat(waiting).isNotDone();

        reconcile(node);

        assertThat(waiting.join().lease().resource()).isEqualTo(unknown);
    }

    @Test
    void anUnknownAddressThatThePoolDoesNotNeedGoesBack() {
        EngineFixture node = EngineFixture.started(9, 2, 2);
        Resource unknown = node.cloud.appear();

        ReconcileReport report = reconcile(node);

        assertThat(report.count(Kind.RETURNED)).isEqualTo(1);
        assertThat(node.events.types()).contains("AddressReturned");
        assertThat(node.cloud.contents()).hasSize(2).doesNotContain(unknown);
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void manyUnknownAddressesMakeFewEvents() {
        EngineFixture node = EngineFixture.started(40, 1, 40);
        for (int i = 0; i < 30; i++) {
            node.cloud.appear();
        }

        ReconcileReport report = reconcile(node);

        assertThat(report.count(Kind.ADOPTED)).isEqualTo(30);
        assertThat(events(node, "AddressAdopted")).hasSize(11);
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(31);
    }

    /** Terway: an item under disposal was in no set, and found again it was idle while the cloud took it away. */
    @Test
    void anAddressUnderDisposalIsInTheBooksAndIsNotFoundOnceMore() {
        List<Duration> latency = new ArrayList<>(List.of(Duration.ZERO));
        EngineFixture node = new EngineFixture(
                EngineFixture.config(0, 0, Duration.ZERO),
                time -> new MemoryFactory(time, 4, () -> latency.get(0), Optional::empty));
        node.start();
        node.add("default/a", "c-a");
        latency.set(0, Duration.ofSeconds(30));
        node.cloud.listsAtOnce();
        node.del("c-a");
        assertThat(node.count(ResourceState.DISPOSING)).isEqualTo(1);

        ReconcileReport report = reconcile(node);

        assertThat(report.findings()).isEmpty();
        assertThat(report.listed()).isEqualTo(1);
        assertThat(node.count(ResourceState.DISPOSING)).isEqualTo(1);
        assertThat(node.count(ResourceState.IDLE)).isZero();
        node.time.advance(Duration.ofSeconds(30));
        assertThat(node.engine.pool().entries()).isEmpty();
        assertThat(node.cloud.contents()).isEmpty();
    }

    @Test
    void twoPodsNeverGetOneAddressThatWasMovedToAnotherEni() {
        EngineFixture node = EngineFixture.started(4, 0, 4);
        Lease lease = node.add("default/a", "c-a");
        Resource there = node.cloud.move(lease.resource().id(), "eni-other");

        ReconcileReport report = reconcile(node);
        reconcile(node);

        assertThat(report.findings()).extracting(ReconcileReport.Finding::kind).containsExactly(Kind.LOST, Kind.CLASH);
        assertThat(events(node, "ResourceClash")).singleElement().satisfies(event -> {
            assertThat(event.severity()).isEqualTo(Event.Severity.ERROR);
            assertThat(event.message()).contains("lent to pod default/a");
        });
        assertThat(EngineFixture.host(node.add("default/b", "c-b"))).isNotEqualTo(EngineFixture.host(lease));

        node.del("c-a");
        node.time.settle();
        reconcile(node);
        assertThat(node.engine.pool().entries())
                .as("once the pod is gone, the address is one like any other")
                .anyMatch(e -> e.resource().equals(there) && e.state() == ResourceState.IDLE);
    }

    @Test
    void anIdleAddressThatWasMovedToAnotherEniIsTakenUpThere() {
        EngineFixture node = EngineFixture.started(4, 1, 4);
        Resource there = node.cloud.move(node.cloud.contents().get(0).id(), "eni-other");

        reconcile(node);
        reconcile(node);

        assertThat(node.events.types())
                .contains("AddressLost", "AddressAdopted")
                .doesNotContain("ResourceClash");
        assertThat(node.engine.pool().entries())
                .anyMatch(e -> e.resource().equals(there) && e.state() == ResourceState.IDLE);
    }

    @Test
    void aLostEniMakesRoomForWhoeverWaits() {
        EngineFixture node = EngineFixture.started(3, 0, 3);
        for (String pod : List.of("a", "b", "c")) {
            node.cloud.lose(node.add("default/" + pod, "c-" + pod).resource().id());
        }
        node.pods.put("default/d");
        CompletableFuture<AddOutcome> waiting = node.adding("default/d", "c-d", Duration.ofMinutes(2));
        assertThat(waiting).isNotDone();

        accepted(node);

        assertThat(waiting.join().lease().resource()).isIn(node.cloud.contents());
        assertThat(node.count(ResourceState.INVALID)).isEqualTo(3);
        assertThat(events(node, "AddressLost"))
                .as("one ENI is one event")
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.message())
                            .contains("3 addresses", "3 pods", "default/a", "default/b", "default/c");
                    assertThat(event.attributes().get("pods")).isEqualTo("default/a,default/b,default/c");
                    assertThat(event.severity()).isEqualTo(Event.Severity.ERROR);
                });
    }

    @Test
    void whatComesBackOfAnEniIsToldTogether() {
        EngineFixture node = EngineFixture.started(3, 0, 3);
        List<Lease> leases = Stream.of("a", "b", "c")
                .map(pod -> node.add("default/" + pod, "c-" + pod))
                .toList();
        leases.forEach(lease -> node.cloud.lose(lease.resource().id()));
        accepted(node);
        leases.forEach(lease -> node.cloud.regain(lease.resource()));

        reconcile(node);

        assertThat(events(node, "AddressRegained"))
                .singleElement()
                .satisfies(event -> assertThat(event.message()).contains("3 addresses of eni-fake are back", "3 pods"));
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(3);
    }

    @Test
    void whoAsksDuringARunGetsTheNextOne() {
        EngineFixture node = EngineFixture.started(4, 1, 4);
        node.cloud.listsAfter(Duration.ofSeconds(5));
        CompletableFuture<ReconcileReport> first = node.engine.reconcile();
        node.time.advance(Duration.ofSeconds(1));
        CompletableFuture<ReconcileReport> second = node.engine.reconcile();
        CompletableFuture<ReconcileReport> third = node.engine.reconcile();

        node.time.advance(Duration.ofSeconds(5));
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();

        node.time.advance(Duration.ofSeconds(5));
        assertThat(second.join()).isSameAs(third.join());
        assertThat(second.join().startedAt()).isAfterOrEqualTo(first.join().finishedAt());
    }

    @Test
    void aListThatHangsIsGivenUpAndTheNextRunWorks() {
        EngineFixture node = EngineFixture.started(4, 1, 4);
        node.cloud.listsAfter(Duration.ofHours(1));
        CompletableFuture<ReconcileReport> hung = node.engine.reconcile();
        node.time.advance(Duration.ofSeconds(61));
        assertThat(hung.join().problems()).singleElement().asString().contains("no answer within 60s");
        node.cloud.listsAtOnce();
        node.time.advance(Duration.ofMinutes(2));

        assertThat(node.engine.status().lastReconcile().orElseThrow().problems())
                .isEmpty();
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(1);
    }

    @Test
    void nobodyHasToAskAndNodesDoNotAskTogether() {
        EngineFixture node = EngineFixture.started(4, 1, 4);
        Resource taken = node.cloud.contents().get(0);
        node.cloud.lose(taken.id());

        node.time.advance(Duration.ofMinutes(2).plusSeconds(14));

        assertThat(node.events.types()).contains("AddressLost");
        ReconcileReport first = node.engine.status().lastReconcile().orElseThrow();
        assertThat(Duration.between(node.engine.status().startedAt(), first.startedAt()))
                .isBetween(Duration.ofSeconds(108), Duration.ofSeconds(132));
        node.time.advance(Duration.ofMinutes(3));
        ReconcileReport later = node.engine.status().lastReconcile().orElseThrow();
        assertThat(Duration.between(first.startedAt(), later.startedAt()).toMillis() % 120_000)
                .as("no two waits are alike")
                .isNotZero();
    }

    @Test
    void anEngineThatDoesNotServeComparesNothing() {
        EngineFixture node = new EngineFixture(4, EngineFixture.config(0, 4, Duration.ZERO));

        assertThat(EngineFixture.code(node.engine.reconcile())).isEqualTo(ErrorCode.TRY_AGAIN);
    }

    @Test
    void aListThatIsSuddenlyEmptyTakesNothingFromManyPods() {
        EngineFixture node = EngineFixture.started(9, 0, 5);
        List<Lease> leases = leases(node, 5);
        leases.forEach(lease -> node.cloud.hide(lease.resource().id()));

        ReconcileReport report = compared(node, false);

        assertThat(report.findings()).isEmpty();
        assertThat(report.problems())
                .containsExactly(
                        "factory cloud lists 5 addresses no more that pods have, and 0 in all: the pods keep them"
                                + " until 'pool sync --accept-loss' says that they are lost");
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(5);
        assertThat(node.events.types()).contains("LossUnconfirmed").doesNotContain("AddressLost");
        compared(node, false);
        assertThat(node.events.types().stream().filter("LossUnconfirmed"::equals))
                .as("told once")
                .hasSize(1);

        node.cloud.reveal();
        assertThat(compared(node, false).problems()).isEmpty();
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(5);
    }

    @Test
    void aListThatIsSuddenlyEmptyTakesNothingFromASinglePodEither() {
        EngineFixture node = EngineFixture.started(4, 2, 4);
        Lease lease = node.add("default/a", "c-a");
        node.cloud.contents().forEach(resource -> node.cloud.hide(resource.id()));

        ReconcileReport report = compared(node, false);

        assertThat(report.count(Kind.LOST)).as("what is idle").isEqualTo(2);
        assertThat(report.problems())
                .singleElement()
                .asString()
                .contains("lists 1 addresses no more that pods have, and 0 in all");
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
        assertThat(node.events.types()).contains("LossUnconfirmed");

        assertThat(compared(node, true).count(Kind.LOST)).isEqualTo(1);
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.INVALID);
    }

    @Test
    void aLossThatAnOperatorAcceptsIsOne() {
        EngineFixture node = EngineFixture.started(9, 0, 5);
        List<Lease> leases = leases(node, 5);
        leases.forEach(lease -> node.cloud.lose(lease.resource().id()));
        compared(node, false);

        ReconcileReport report = compared(node, true);

        assertThat(report.count(ReconcileReport.Kind.LOST)).isEqualTo(5);
        assertThat(report.problems()).isEmpty();
        assertThat(node.count(ResourceState.INVALID)).isEqualTo(5);
    }

    @Test
    void aListThatIsEmptyForLessThanTenSecondsHasCostNothing() {
        EngineFixture node = EngineFixture.started(9, 0, 5);
        List<Lease> leases = leases(node, 5);
        leases.forEach(lease -> node.cloud.hide(lease.resource().id()));
        CompletableFuture<ReconcileReport> run = node.engine.reconcile(true);
        node.time.advance(Duration.ofSeconds(9));
        assertThat(run).isNotDone();

        node.cloud.reveal();
        node.time.advance(Duration.ofSeconds(1));

        assertThat(run.join().findings()).isEmpty();
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(5);
    }

    @Test
    void aStartWithAnEmptyListTakesNothingFromManyPods() {
        EngineFixture node = EngineFixture.started(9, 0, 5);
        List<Lease> leases = leases(node, 5);
        // older than any list
        node.time.advance(Duration.ofHours(1));
        leases.forEach(lease -> node.cloud.hide(lease.resource().id()));

        node.crashAndStart();

        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(5);
        assertThat(node.events.types()).contains("LossUnconfirmed");
    }

    private static List<Lease> leases(EngineFixture node, int pods) {
        return IntStream.range(0, pods)
                .mapToObj(i -> node.add("default/p" + i, "c-" + i))
                .toList();
    }

    private static ReconcileReport compared(EngineFixture node, boolean acceptLoss) {
        CompletableFuture<ReconcileReport> run = node.engine.reconcile(acceptLoss);
        node.time.advance(Duration.ofSeconds(10));
        return run.join();
    }
}

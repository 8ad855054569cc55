package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An address that the cloud lends again while a pod still has it by a resource that is lost. */
class AddressConflictsTest {
    /** The list is empty at first, and an operator says that this is true. */
    private static ReconcileReport reconcile(EngineFixture node) {
        CompletableFuture<ReconcileReport> run = node.engine.reconcile(true);
        node.time.advance(Duration.ofSeconds(10));
        assertThat(run).isCompleted();
        return run.join();
    }

    private static List<Event> events(EngineFixture node, String type) {
        return node.events.all().stream().filter(e -> e.type().equals(type)).toList();
    }

    /** The cloud gave the address of a deleted ENI to the next one, and each such create made the pause before the next longer. */
    @Test
    void anAddressThatAPodStillHasByALostEniIsKeptAsideAndIsNoFailedCreate() {
        EngineFixture node = EngineFixture.started(9, 0, 9);
        List<Lease> old = Stream.of("a", "b", "c")
                .map(pod -> node.add("default/" + pod, "c-" + pod))
                .toList();
        old.forEach(lease -> node.cloud.lose(lease.resource().id()));
        reconcile(node);
        old.forEach(lease -> node.cloud.makeNext("eni-new", EngineFixture.host(lease)));

        List<Lease> young = Stream.of("d", "e", "f")
                .map(pod -> node.add("default/" + pod, "c-" + pod))
                .toList();

        assertThat(young)
                .extracting(EngineFixture::host)
                .doesNotContainAnyElementsOf(
                        old.stream().map(EngineFixture::host).toList());
        assertThat(node.events.types()).contains("ResourceClash").doesNotContain("ResourceCreateFailed");
        assertThat(node.engine.pendingWork().createTrouble()).isEmpty();
        assertThat(node.cloud.contents())
                .as("kept, so that no other node gets them")
                .hasSize(6);

        node.del("c-a");
        node.time.settle();

        assertThat(events(node, "AddressAdopted"))
                .singleElement()
                .satisfies(event -> assertThat(event.subject()).isEqualTo("eni-new/" + EngineFixture.host(old.get(0))));
    }

    @Test
    void whatIsKeptAsideTakesRoomAndServesWhoWaitsOnceTheOldPodIsGone() {
        EngineFixture node = EngineFixture.started(3, 0, 3);
        Lease old = node.add("default/a", "c-a");
        node.cloud.lose(old.resource().id());
        reconcile(node);
        node.cloud.makeNext("eni-new", EngineFixture.host(old));
        node.add("default/b", "c-b");
        node.add("default/c", "c-c");
        node.pods.put("default/d");
        CompletableFuture<AddOutcome> waiting = node.adding("default/d", "c-d", Duration.ofMinutes(2));
        node.time.advance(Duration.ofSeconds(30));
        assertThat(waiting).as("three addresses are all there may be").isNotDone();

        node.del("c-a");
        node.time.settle();

        assertThat(EngineFixture.host(waiting.join().lease())).isEqualTo(EngineFixture.host(old));
    }

    @Test
    void whatIsKeptAsideIsKeptAsideAfterARestartToo() {
        EngineFixture node = EngineFixture.started(9, 0, 9);
        Lease old = node.add("default/a", "c-a");
        node.cloud.lose(old.resource().id());
        reconcile(node);
        node.cloud.makeNext("eni-new", EngineFixture.host(old));
        node.add("default/b", "c-b");

        node.crashAndStart();
        assertThat(EngineFixture.host(node.add("default/c", "c-c"))).isNotEqualTo(EngineFixture.host(old));
        node.del("c-a");
        node.time.settle();

        assertThat(events(node, "AddressAdopted")).isNotEmpty();
        assertThat(node.engine.pool().entries())
                .filteredOn(entry -> entry.resource().id().value().startsWith("eni-new/"))
                .isNotEmpty();
    }

    @Test
    void whatIsKeptAsideAndLeavesTheCloudIsForgotten() {
        EngineFixture node = EngineFixture.started(9, 0, 9);
        Lease old = node.add("default/a", "c-a");
        node.cloud.lose(old.resource().id());
        reconcile(node);
        ResourceId aside = new ResourceId("eni-new/" + EngineFixture.host(old));
        node.cloud.makeNext("eni-new", EngineFixture.host(old));
        node.add("default/b", "c-b");
        node.cloud.lose(aside);
        reconcile(node);

        node.del("c-a");
        node.time.settle();

        assertThat(node.engine.pool().entries())
                .noneMatch(entry -> entry.resource().id().equals(aside));
    }
}

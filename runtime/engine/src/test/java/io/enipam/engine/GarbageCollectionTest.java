package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.LeaseEnd;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class GarbageCollectionTest {
    @Test
    void aPodThatVanishedWithNoDelGivesItsAddressBack() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.add("default/b", "c-b");
        node.pods.remove("default/a");

        GcReport report = collect(node, false);

        assertThat(report.examined()).isEqualTo(2);
        assertThat(report.collected()).singleElement().satisfies(c -> {
            assertThat(c.lease().owner().containerId()).isEqualTo("c-a");
            assertThat(c.reason()).isEqualTo("the pod does not exist");
        });
        assertThat(node.rows()).containsExactly("c-b");
    }

    @Test
    void aDryRunTellsAndTouchesNothing() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.pods.remove("default/a");

        GcReport report = collect(node, true);

        assertThat(report.dryRun()).isTrue();
        assertThat(report.collected()).hasSize(1);
        assertThat(node.rows()).containsExactly("c-a");
        assertThat(node.events.types()).doesNotContain("GcFinished");
        collect(node, false);
        assertThat(node.events.types()).contains("GcFinished");
    }

    @Test
    void aFinishedPodCountsAsGone() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/job", "c");
        node.pods.put("default/job", "uid-of-default/job", true, Duration.ZERO);

        assertThat(collect(node, false).collected()).hasSize(1);
        assertThat(node.db.ends()).singleElement().satisfies(end -> {
            assertThat(end.reason()).isEqualTo(LeaseEnd.Reason.GC);
            assertThat(end.detail()).isNotEmpty();
        });
    }

    @Test
    void anotherPodOfTheSameNameDoesNotKeepTheOldLease() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.put("default/a", "uid-1", false, Duration.ZERO);
        node.adding("default/a", "c-old", Duration.ofSeconds(5)).join();
        node.pods.put("default/a", "uid-2", false, Duration.ZERO);
        node.adding("default/a", "c-new", Duration.ofSeconds(5)).join();

        collect(node, false);

        assertThat(node.rows()).containsExactly("c-new");
    }

    @Test
    void aStaleListAloneDestroysNothing() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.pods.freezeList();
        node.add("default/a", "c-a");

        assertThat(collect(node, false).collected()).isEmpty();
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void anApiServerThatIsAwayIsReportedAndNothingIsCollected() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.pods.down(true);

        GcReport report = collect(node, false);

        assertThat(report.collected()).isEmpty();
        assertThat(report.problems()).singleElement().asString().contains("the API server is away");
    }

    @Test
    void oneLeaseThatCannotBeEndedIsReported() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.pods.remove("default/a");
        node.kernel.failTearDown(true);

        GcReport report = collect(node, false);

        assertThat(report.problems()).singleElement().asString().contains("default/a", "busy");
        assertThat(node.rows()).containsExactly("c-a");
    }

    @Test
    void runsByItselfEveryInterval() {
        EngineFixture node = EngineFixture.started(3, 0, 5);
        node.add("default/a", "c-a");
        node.pods.remove("default/a");

        node.time.advance(Duration.ofMinutes(5));

        assertThat(node.rows()).isEmpty();
        assertThat(node.engine.status().lastGc()).isPresent();
    }

    private static GcReport collect(EngineFixture node, boolean dryRun) {
        CompletableFuture<GcReport> report = node.engine.collect(dryRun);
        node.time.settle();
        return report.join();
    }
}

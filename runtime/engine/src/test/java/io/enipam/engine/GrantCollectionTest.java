package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Trace;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What allocators granted to pods is collected beside the leases, by the same rule. */
class GrantCollectionTest {
    private static final String STATIC_UID = "7b1e6d2f7a4c4b0e9d3f5a6c8e0b1d2f";

    private final EngineFixture node = EngineFixture.started(3, 0, 5);

    @Test
    void aGrantWhosePodIsGoneEndsAndOthersStay() {
        node.pods.put("default/a", "uid-a", false, Duration.ZERO);
        node.grants.grant("c-a", "default/a", "uid-a", "10.7.0.2/24");
        node.grants.grant("c-b", "default/b", "uid-b", "10.7.0.3/24");

        GcReport dry = collect(true);
        assertThat(dry.claims().examined()).isEqualTo(2);
        assertThat(dry.claims().collected()).singleElement().satisfies(end -> {
            assertThat(end.claim().held().owner()).isEqualTo("default/b");
            assertThat(end.reason()).isEqualTo("the pod does not exist");
        });
        assertThat(node.grants.containers()).as("a dry run").containsExactly("c-a", "c-b");

        assertThat(collect(false).claims().collected()).hasSize(1);
        assertThat(node.grants.containers()).containsExactly("c-a");
        assertThat(node.traces.all())
                .filteredOn(story -> story.operation() == Trace.Operation.GC)
                .singleElement()
                .satisfies(story ->
                        assertThat(story.subject().pod().map(Object::toString)).contains("default/b"));
        assertThat(node.events.all())
                .anySatisfy(event ->
                        assertThat(event.message()).isEqualTo("0 of 0 leases collected, 1 of 2 grants of plugins"));
    }

    @Test
    void aPodThatWasMadeAnewDoesNotKeepTheGrantOfTheFormerOne() {
        node.pods.put("default/db-0", "uid-2", false, Duration.ZERO);
        node.grants.grant("c-old", "default/db-0", "uid-1", "10.7.0.2/24");
        node.grants.grant("c-new", "default/db-0", "uid-2", "10.7.0.3/24");

        collect(false);

        assertThat(node.grants.containers()).containsExactly("c-new");
    }

    @Test
    void anAddressThatThePodsStatusLacksProvesNothing() {
        node.pods.put("default/a", "uid-a", false, Duration.ZERO);
        node.pods.addressed("default/a", List.of(Address.literal("192.0.2.9")));
        node.grants.grant("c-a", "default/a", "", "10.7.0.2/24");

        collect(false);
        node.time.advance(Duration.ofHours(1));

        assertThat(node.grants.containers()).containsExactly("c-a");
    }

    @Test
    void aPodWhoseUidIsNotKnownIsMissedForAWhile() {
        node.grants.grant("c-a", "default/a", "", "10.7.0.2/24");

        assertThat(collect(false).claims().spared())
                .singleElement()
                .satisfies(spared -> assertThat(spared.reason()).contains("10 minutes"));
        node.time.advance(Duration.ofMinutes(25));
        assertThat(node.grants.containers()).isEmpty();
    }

    @Test
    void aStaticPodAndASandboxWithoutAPodAreLeftToTheRuntime() {
        node.grants.grant("c-static", "kube-system/proxy", STATIC_UID, "10.7.0.2/24");
        node.grants.grant("c-unnamed", "c-unnamed", "", "10.7.0.3/24");

        collect(false);
        node.time.advance(Duration.ofHours(1));

        assertThat(node.grants.containers()).containsExactly("c-static", "c-unnamed");
    }

    @Test
    void nothingEndsWhileTheApiServerIsAway() {
        node.grants.grant("c-a", "default/a", "uid-a", "10.7.0.2/24");
        node.pods.down(true);

        assertThat(collect(false).problems()).isNotEmpty();
        assertThat(node.grants.containers()).containsExactly("c-a");
    }

    @Test
    void whatTheNextCollectionMakesOfAGrantIsKnown() {
        node.grants.grant("c-a", "default/a", "uid-a", "10.7.0.2/24");

        CompletableFuture<Optional<OrphanDecision>> decision = node.engine.decide(new OwnerKey("lan", "c-a", "eth0"));
        node.time.settle();

        assertThat(decision.join()).contains(new OrphanDecision.Orphan("the pod does not exist"));
        assertThat(node.engine.isServed(PodRef.parse("default/a"))).isTrue();
    }

    private GcReport collect(boolean dryRun) {
        CompletableFuture<GcReport> report = node.engine.collect(dryRun);
        node.time.settle();
        return report.join();
    }
}

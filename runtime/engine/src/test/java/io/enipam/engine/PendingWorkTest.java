package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the engine says it has under way, and what it says comes next and when: it comes then. */
class PendingWorkTest {
    private Duration latency = Duration.ofSeconds(3);
    private Optional<Failed> mishap = Optional.empty();

    private EngineFixture node(int maxIdle) {
        EngineFixture node = new EngineFixture(
                EngineFixture.config(0, maxIdle, Duration.ZERO),
                time -> new MemoryFactory(time, 2, () -> latency, () -> mishap));
        node.cloud.listsAtOnce();
        node.start();
        return node;
    }

    @Test
    void thoseWhoWaitAreToldInTheirOrderWithWhatIsMadeForThem() {
        EngineFixture node = node(5);
        Instant begun = node.time.now();
        node.pods.put("default/a");
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> a = node.adding("default/a", "a", Duration.ofSeconds(10));
        CompletableFuture<AddOutcome> b = node.adding("default/b", "b", Duration.ofSeconds(20));

        PendingWork agenda = node.engine.pendingWork();
        assertThat(agenda.queue())
                .extracting(WaiterView::owner, WaiterView::pod, WaiterView::since)
                .containsExactly(
                        tuple(EngineFixture.owner("a"), PodRef.parse("default/a"), begun),
                        tuple(EngineFixture.owner("b"), PodRef.parse("default/b"), begun));
        // a little of a caller's time is kept back for the disk and the kernel
        assertThat(agenda.queue().get(0).until()).isBetween(begun.plusSeconds(9), begun.plusSeconds(10));
        assertThat(agenda.queue().get(1).until()).isBetween(begun.plusSeconds(19), begun.plusSeconds(20));
        assertThat(agenda.busy()).containsExactlyInAnyOrder(PodRef.parse("default/a"), PodRef.parse("default/b"));
        assertThat(agenda.creates()).hasSize(2).extracting(PendingCreate::since).containsOnly(begun);

        node.time.advance(latency);
        assertThat(a).isCompleted();
        assertThat(b).isCompleted();
        PendingWork after = node.engine.pendingWork();
        assertThat(after.queue()).isEmpty();
        assertThat(after.busy()).isEmpty();
        assertThat(after.creates()).isEmpty();
    }

    /** Who looks whether nothing can be made counts from these dates, and must not count for eight hours. */
    @Test
    void theDatesOfAFailedCreateAreByTheClockAsItIsSetNow() {
        for (Duration jump : List.of(Duration.ofHours(8), Duration.ofHours(-8))) {
            mishap = Optional.of(Failed.of(ErrorKind.THROTTLED, "Throttling.User"));
            EngineFixture node = node(5);
            latency = Duration.ZERO;
            node.pods.put("default/a");
            node.adding("default/a", "a", Duration.ofSeconds(60));
            var before = node.engine.pendingWork().createTrouble().orElseThrow();

            node.time.setClock(jump);

            var after = node.engine.pendingWork().createTrouble().orElseThrow();
            assertThat(after.at()).isEqualTo(before.at().plus(jump));
            assertThat(after.next()).isEqualTo(before.next().plus(jump));
            assertThat(after.since()).isEqualTo(before.since().plus(jump));
        }
    }

    @Test
    void aCreateThatFailedIsTriedAgainWhenItIsSaidToBe() {
        EngineFixture node = node(5);
        latency = Duration.ZERO;
        mishap = Optional.of(Failed.of(ErrorKind.THROTTLED, "Throttling.User"));
        node.pods.put("default/a");
        CompletableFuture<AddOutcome> a = node.adding("default/a", "a", Duration.ofSeconds(60));

        var trouble = node.engine.pendingWork().createTrouble().orElseThrow();
        assertThat(trouble.kind()).isEqualTo(ErrorKind.THROTTLED);
        assertThat(trouble.message()).contains("Throttling.User");
        assertThat(trouble.next()).isAfter(node.time.now());

        mishap = Optional.empty();
        node.time.advance(Duration.between(node.time.now(), trouble.next()).minusMillis(1));
        assertThat(a).isNotDone();
        node.time.advance(Duration.ofMillis(1));
        assertThat(a).isCompleted();
        assertThat(node.engine.pendingWork().createTrouble()).isEmpty();
    }

    /** An obstacle that is over was noticed only when the back-off had passed, up to a minute later. */
    @Test
    void aCreateThatFailedForWantOfRoomIsTriedAgainAtOnceWhenSomethingHasGoneBack() {
        EngineFixture node = node(5);
        latency = Duration.ZERO;
        Lease lost = node.add("default/a", "a");
        node.cloud.lose(lost.resource().id());
        node.engine.reconcile();
        node.time.advance(Duration.ofSeconds(2));
        mishap = Optional.of(new Failed(ErrorKind.QUOTA_EXHAUSTED, "all ENIs are in use", Duration.ofMinutes(5)));
        node.pods.put("default/b");
        CompletableFuture<AddOutcome> b = node.adding("default/b", "b", Duration.ofMinutes(1));
        assertThat(node.engine.pendingWork().createTrouble().orElseThrow().next())
                .isAfter(node.time.now().plus(Duration.ofMinutes(4)));

        mishap = Optional.empty();
        node.del("a");
        node.time.settle();

        assertThat(b).isCompleted();
    }

    @Test
    void aDisposalThatFailedIsCountedAndTriedAgainWhenItIsSaidToBe() {
        EngineFixture node = node(0);
        latency = Duration.ZERO;
        Lease lease = node.add("default/a", "a");
        mishap = Optional.of(Failed.of(ErrorKind.UNAVAILABLE, "no route"));
        node.del("a");

        var first = node.engine.pendingWork().disposals().get(ResourceKey.of(lease.resource()));
        assertThat(first).isNotNull();
        assertThat(first.failures()).isEqualTo(1);
        node.time.advance(Duration.between(node.time.now(), first.next()));
        var second = node.engine.pendingWork().disposals().get(ResourceKey.of(lease.resource()));
        assertThat(second.failures()).isEqualTo(2);
        assertThat(second.kind()).isEqualTo(ErrorKind.UNAVAILABLE);

        mishap = Optional.empty();
        node.time.advance(Duration.between(node.time.now(), second.next()));
        assertThat(node.engine.pendingWork().disposals()).isEmpty();
        assertThat(node.engine.pool().entries()).isEmpty();
    }

    @Test
    void whatComesByTheClockComesWhenItIsSaidTo() {
        EngineFixture node = node(5);
        PendingWork agenda = node.engine.pendingWork();
        Instant gc = agenda.next().gc().orElseThrow();
        assertThat(gc).isEqualTo(node.time.now().plus(node.config.intervals().gc()));
        assertThat(agenda.next().check())
                .contains(node.time.now().plus(node.config.intervals().poolCheck()));
        Duration tenth = node.config.intervals().reconcile().dividedBy(10);
        assertThat(agenda.next().reconcile().orElseThrow())
                .isBetween(
                        node.time
                                .now()
                                .plus(node.config.intervals().reconcile())
                                .minus(tenth),
                        node.time
                                .now()
                                .plus(node.config.intervals().reconcile())
                                .plus(tenth));

        node.time.advance(Duration.between(node.time.now(), gc).minusMillis(1));
        assertThat(node.engine.status().lastGc()).isEmpty();
        node.time.advance(Duration.ofMillis(1));
        assertThat(node.engine.status().lastGc()).isPresent();
        assertThat(node.engine.pendingWork().next().gc())
                .contains(gc.plus(node.config.intervals().gc()));

        node.engine.close();
        assertThat(node.engine.pendingWork().next().gc())
                .as("nothing comes any more")
                .isEmpty();
    }
}

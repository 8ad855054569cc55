package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What an operation did, as somebody reads it afterwards: each step with its time, its outcome and what it was part of. */
class OperationTraceTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static TraceSnapshot last(EngineFixture node, Operation operation) {
        List<TraceSnapshot> all = node.traces.of(operation);
        assertThat(all).isNotEmpty();
        return all.get(all.size() - 1);
    }

    private static List<String> steps(TraceSnapshot story) {
        return story.steps().stream().map(TraceSnapshot.Step::name).toList();
    }

    private static TraceSnapshot.Step step(TraceSnapshot story, String name) {
        return story.steps().stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + story));
    }

    @Test
    void anAddThatFindsAnIdleAddressTellsPodPoolCommitAndKernel() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        Lease lease = node.add("default/web", "c-1");
        TraceSnapshot add = last(node, Operation.ADD);
        assertThat(steps(add)).containsExactly("TURN", "POD", "ACQUIRE", "COMMIT", "KERNEL");
        assertThat(add.outcome()).isEqualTo(TraceSnapshot.OK);
        assertThat(add.subject().pod()).contains(PodRef.parse("default/web"));
        assertThat(add.subject().owner()).contains(EngineFixture.owner("c-1"));
        assertThat(add.resource()).contains(lease.resource());
        assertThat(step(add, "POD").attributes()).containsEntry("from", "API server");
        assertThat(step(add, "ACQUIRE").attributes()).containsEntry("how", "idle");
        assertThat(add.steps()).allSatisfy(step -> assertThat(step.outcome()).isEqualTo(TraceSnapshot.OK));
    }

    @Test
    void eachStepHasItsOwnTimeAndTheStoryHasTheSumOfThem() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.pods.put("default/web");
        node.disk = Duration.ofMillis(40);
        CompletableFuture<AddOutcome> add = node.adding("default/web", "c-1", Duration.ofSeconds(10));
        node.time.advance(Duration.ofMillis(40));
        assertThat(add).isCompleted();
        TraceSnapshot story = last(node, Operation.ADD);
        assertThat(step(story, "COMMIT").took()).contains(Duration.ofMillis(40));
        assertThat(step(story, "KERNEL").offset()).isEqualTo(Duration.ofMillis(40));
        assertThat(story.took()).contains(Duration.ofMillis(40));
    }

    @Test
    void whoWaitsIsToldHisPlaceAndWhatGaveHimTheAddressInTheEnd() {
        EngineFixture node = EngineFixture.started(1, 0, 0);
        node.add("default/first", "c-1");
        node.pods.put("default/second");
        node.pods.put("default/third");
        CompletableFuture<AddOutcome> second = node.adding("default/second", "c-2", Duration.ofSeconds(10));
        node.adding("default/third", "c-3", Duration.ofSeconds(10));
        assertThat(last(node, Operation.ADD).outcome()).isEqualTo(TraceSnapshot.RUNNING);
        assertThat(step(last(node, Operation.ADD), "ACQUIRE").attributes())
                .containsEntry("how", "waited")
                .containsEntry("place", "2");
        node.time.advance(Duration.ofSeconds(3));
        node.del("c-1");
        assertThat(second).isCompleted();
        TraceSnapshot served = node.traces.of(Operation.ADD).get(1);
        assertThat(step(served, "ACQUIRE").attributes())
                .containsEntry("place", "1")
                .containsEntry("servedBy", "a release");
        assertThat(step(served, "ACQUIRE").took()).contains(Duration.ofSeconds(3));
    }

    @Test
    void anAddressThatHadToBeMadeHasAStoryOfItsOwn() {
        EngineFixture node = EngineFixture.started(5, 0, 0);
        Lease lease = node.add("default/web", "c-1");
        TraceSnapshot create = last(node, Operation.CREATE);
        assertThat(steps(create)).containsExactly("INTENT", "FACTORY");
        assertThat(create.outcome()).isEqualTo(TraceSnapshot.OK);
        assertThat(create.resource()).contains(lease.resource());
        assertThat(create.subject().name()).startsWith("enipam-");
        assertThat(step(last(node, Operation.ADD), "ACQUIRE").attributes()).containsEntry("servedBy", "a create");
    }

    @Test
    void aFactoryThatFailsIsInTheStoryOfTheCreateAndTheAddThatWaitedSaysHowLong() {
        EngineFixture node = EngineFixture.started(5, 0, 0);
        node.cloud.down(true);
        node.pods.put("default/web");
        CompletableFuture<AddOutcome> add = node.adding("default/web", "c-1", SECOND);
        node.time.advance(Duration.ofSeconds(2));
        assertThat(add).isCompletedExceptionally();
        TraceSnapshot create = node.traces.of(Operation.CREATE).get(0);
        assertThat(create.failed()).isTrue();
        assertThat(step(create, "FACTORY").failed()).isTrue();
        assertThat(step(create, "FACTORY").why()).isNotEmpty();
        TraceSnapshot refused = last(node, Operation.ADD);
        assertThat(refused.outcome()).isEqualTo("POOL_EXHAUSTED");
        assertThat(refused.why()).isEqualTo(EngineFixture.failure(add).getMessage());
        assertThat(refused.hint()).isEqualTo(EngineFixture.failure(add).hint());
        assertThat(step(refused, "ACQUIRE").outcome()).isEqualTo("POOL_EXHAUSTED");
    }

    @Test
    void aCommitThatIsRefusedIsTheFailingStepAndWhatWasUndoneIsTold() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.pods.put("default/web");
        node.db.broken(true);
        CompletableFuture<AddOutcome> add = node.adding("default/web", "c-1", Duration.ofSeconds(10));
        assertThat(add).isCompletedExceptionally();
        TraceSnapshot story = last(node, Operation.ADD);
        assertThat(story.outcome()).isEqualTo("TRY_AGAIN");
        assertThat(step(story, "COMMIT").failed()).isTrue();
        assertThat(step(story, "UNDO").attributes()).containsEntry("why", "its row was not written");
    }

    @Test
    void aKernelThatRefusesIsToldWithWhatWasUndoneAfterwards() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.pods.put("default/web");
        node.kernel.failSetUp(true);
        node.adding("default/web", "c-1", Duration.ofSeconds(10));
        TraceSnapshot story = last(node, Operation.ADD);
        assertThat(story.outcome()).isEqualTo("DATAPATH_FAILED");
        assertThat(step(story, "KERNEL").why()).contains("Operation not permitted");
        TraceSnapshot.Step undo = step(story, "UNDO");
        assertThat(story.steps().stream().filter(step -> step.parent() == undo.id()))
                .extracting(TraceSnapshot.Step::name)
                .containsExactly("KERNEL", "COMMIT");
    }

    @Test
    void aCallerWhoseTimeIsOverLeavesAStoryThatGoesOnUntilAllIsUndone() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.pods.put("default/web");
        CompletableFuture<Void> gate = node.kernel.holdSetUps();
        CompletableFuture<AddOutcome> add = node.adding("default/web", "c-1", SECOND);
        assertThat(last(node, Operation.ADD).outcome()).isEqualTo(TraceSnapshot.RUNNING);
        node.time.advance(SECOND);
        assertThat(EngineFixture.code(add).name()).isEqualTo("DEADLINE_EXCEEDED");
        TraceSnapshot story = last(node, Operation.ADD);
        assertThat(story.outcome()).isEqualTo("DEADLINE_EXCEEDED");
        assertThat(step(story, "KERNEL").outcome()).isEqualTo("DEADLINE_EXCEEDED");
        assertThat(step(story, "UNDO").outcome()).isEqualTo(TraceSnapshot.OK);
        gate.complete(null);
    }

    @Test
    void aDelThatOvertakesItsAddIsToldHowLongItStoodBehindIt() {
        EngineFixture node = EngineFixture.started(1, 0, 0);
        node.add("default/first", "c-1");
        node.pods.put("default/second");
        node.adding("default/second", "c-2", Duration.ofSeconds(2));
        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-2"), "cni");
        node.time.settle();
        node.time.advance(Duration.ofSeconds(2));
        assertThat(del).isCompleted();
        TraceSnapshot story = last(node, Operation.DEL);
        assertThat(story.attributes()).containsEntry("by", "cni").containsEntry("held", "nothing");
        assertThat(story.subject().pod()).contains(PodRef.parse("default/second"));
        assertThat(step(story, "TURN").took().orElseThrow()).isGreaterThan(SECOND);
        assertThat(node.traces.of(Operation.ADD).get(1).outcome()).isEqualTo("POOL_EXHAUSTED");
    }

    @Test
    void aDelTellsKernelCommitAndWhatBecameOfTheAddressAndTheCoolDownWhenItEnds() {
        EngineFixture node = new EngineFixture(5, EngineFixture.config(1, 4, Duration.ofSeconds(30)));
        node.start();
        Lease lease = node.add("default/web", "c-1");
        node.del("c-1");
        TraceSnapshot del = last(node, Operation.DEL);
        assertThat(steps(del)).containsExactly("TURN", "KERNEL", "COMMIT", "RELEASE");
        assertThat(step(del, "RELEASE").attributes())
                .containsEntry("state", "COOLING")
                .containsKey("until");
        assertThat(del.resource()).contains(lease.resource());
        node.time.advance(Duration.ofSeconds(31));
        TraceSnapshot end = last(node, Operation.HOLD);
        assertThat(end.resource()).contains(lease.resource());
        assertThat(end.subject().pod()).contains(lease.pod());
        assertThat(end.attributes()).isEqualTo(Map.of("was", "COOLING", "state", "IDLE"));
    }

    @Test
    void aDelThatTheKernelRefusesIsAFailureWithItsHint() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.add("default/web", "c-1");
        node.kernel.failTearDown(true);
        CompletableFuture<DelOutcome> del = node.engine.del(EngineFixture.owner("c-1"));
        node.time.settle();
        TraceSnapshot story = last(node, Operation.DEL);
        assertThat(story.outcome()).isEqualTo("DATAPATH_FAILED");
        assertThat(story.hint()).isEqualTo(EngineFixture.failure(del).hint()).isNotEmpty();
        assertThat(step(story, "KERNEL").why()).contains("Device or resource busy");
    }

    @Test
    void theCollectorsEndOfALeaseIsAStoryOfTheSandbox() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.add("default/web", "c-1");
        node.pods.remove("default/web");
        node.engine.collect(false);
        node.time.settle();
        TraceSnapshot gc = last(node, Operation.GC);
        assertThat(gc.outcome()).isEqualTo(TraceSnapshot.OK);
        assertThat(gc.attributes().get("why")).isNotEmpty();
        assertThat(gc.subject().owner()).contains(EngineFixture.owner("c-1"));
        assertThat(steps(gc)).containsExactly("TURN", "KERNEL", "COMMIT", "RELEASE");
        assertThat(node.traces.of(Operation.DEL)).isEmpty();
    }

    @Test
    void whatGoesBackToTheCloudTellsEachTry() {
        EngineFixture node =
                new EngineFixture(EngineFixture.config(0, 0, Duration.ZERO), time -> MemoryFactory.instant(time, 3));
        node.start();
        Lease lease = node.add("default/web", "c-1");
        node.del("c-1");
        node.time.advance(SECOND);
        TraceSnapshot dispose = last(node, Operation.DISPOSE);
        assertThat(dispose.resource()).contains(lease.resource());
        assertThat(steps(dispose)).startsWith("INTENT", "FACTORY");
        assertThat(dispose.outcome()).isEqualTo(TraceSnapshot.OK);
    }

    @Test
    void whoIsAnsweredFindsTheStoryEnded() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.pods.put("default/web");
        node.disk = Duration.ofMillis(5);
        CompletableFuture<AddOutcome> add = node.adding("default/web", "c-1", Duration.ofSeconds(10));
        CompletableFuture<String> seen =
                add.thenApply(outcome -> last(node, Operation.ADD).outcome());
        node.time.advance(Duration.ofMillis(5));
        assertThat(seen).isCompletedWithValue(TraceSnapshot.OK);
        CompletableFuture<String> ended = node.engine
                .del(EngineFixture.owner("c-1"))
                .thenApply(outcome -> last(node, Operation.DEL).outcome());
        node.time.advance(SECOND);
        assertThat(ended).isCompletedWithValue(TraceSnapshot.OK);
    }

    @Test
    void anApiServerThatIsAwayShowsInWhereThePodWasLookedUp() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.add("default/web", "c-1");
        node.pods.down(true);
        CompletableFuture<AddOutcome> add = node.adding("default/web", "c-2", Duration.ofSeconds(10));
        node.time.advance(Duration.ofSeconds(6));
        assertThat(add).isCompleted();
        assertThat(step(last(node, Operation.ADD), "POD").attributes())
                .containsEntry("asked", "API server")
                .containsEntry("from", "pod store")
                .containsKey("unanswered");
    }

    @Test
    void aRestartAfterACrashHasNoStoriesAndAnAddThatComesTooEarlyIsTold() {
        EngineFixture node = EngineFixture.started(5, 2, 4);
        node.add("default/web", "c-1");
        node.crash();
        assertThat(node.traces.all()).isEmpty();
        node.adding("default/new", "c-2", SECOND);
        TraceSnapshot refused = last(node, Operation.ADD);
        assertThat(refused.outcome()).isEqualTo("TRY_AGAIN");
        assertThat(refused.took()).isNotEqualTo(Optional.empty());
    }

    @Test
    void nobodyListensAndNothingIsTold() {
        assertThat(Trace.NONE.step("TURN").isRecording()).isFalse();
        Trace.NONE.with("by", "nobody").done();
        Trace.NONE.failed("X", "y", "z");
    }
}

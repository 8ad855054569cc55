package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How many calls of the cloud the addresses of pods cost that come together, and how long the pods wait. */
class RequestGatheringTest {
    private static final Duration CALL = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(2);
    /** What an ADD may wait: a call, for others to share it, and the disk. */
    private static final Duration ONE_CALL = CALL.plus(AddressBatcher.QUIET).plusMillis(5);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void tenPodsThatComeTogetherWhereTwoAddressesAreIdleWaitForOneAssignAndNoOther() {
        Node node = new Node(2, 5);

        List<CompletableFuture<AddOutcome>> adds = node.burst(10, MOMENT);
        node.time.advance(ONE_CALL);

        assertThat(adds).allMatch(CompletableFuture::isDone);
        assertThat(adds).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(node.cloud.calls(Call.ASSIGN)).isEqualTo(node.assignsBefore + 1);
        assertThat(node.engine.pool().summary().count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void tenPodsThatComeTogetherWhereNoAddressIsIdleWaitForOneAssignAndNoOther() {
        Node node = new Node(0, 5);

        List<CompletableFuture<AddOutcome>> adds = node.burst(10, MOMENT);
        node.time.advance(ONE_CALL);

        assertThat(adds).allMatch(CompletableFuture::isDone);
        assertThat(node.cloud.calls(Call.ASSIGN)).isEqualTo(node.assignsBefore + 1);
    }

    @Test
    void onePodThatFindsNoAddressWaitsForItsCallAndForOthersNoLongerThanTwentyMilliseconds() {
        Node node = new Node(0, 5);

        List<CompletableFuture<AddOutcome>> adds = node.burst(1, Duration.ZERO);
        node.time.advance(ONE_CALL);

        assertThat(adds).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aFullAssignWaitsForNoOtherRequest() {
        FactoryFixture bench = new FactoryFixture(1, 30).vswitch("vsw-1", 50);
        bench.get(1);

        List<CompletableFuture<CreateResult>> asked = bench.ask(AddressBatcher.BATCH);
        bench.time.settle();

        assertThat(resources(asked)).hasSize(AddressBatcher.BATCH);
    }

    @Test
    void anAssignThatTakesTheLastAddressesOfTheEniWaitsForNoOtherRequest() {
        FactoryFixture bench = new FactoryFixture(1, 4).vswitch("vsw-1", 50);
        bench.get(1);

        List<CompletableFuture<CreateResult>> asked = bench.ask(3);
        bench.time.settle();

        assertThat(resources(asked)).hasSize(3);
    }

    @Test
    void requestsThatKeepComingDelayTheFirstForATenthOfASecondAtMost() {
        FactoryFixture bench = new FactoryFixture(1, 30).vswitch("vsw-1", 50);
        bench.get(1);
        Duration gap = AddressBatcher.QUIET.minusMillis(4);
        List<CompletableFuture<CreateResult>> asked = new ArrayList<>();

        for (Duration past = Duration.ZERO; past.compareTo(AddressBatcher.GATHERING) < 0; past = past.plus(gap)) {
            asked.addAll(bench.ask(1));
            bench.time.advance(gap);
        }

        assertThat(asked.get(0)).isCompleted();
        assertThat(bench.cloud.calls(Call.ASSIGN)).isOne();
    }

    @Test
    void anAddressThatIsGivenBackWhileRequestsGatherDoesNotGetInBeforeThem() {
        FactoryFixture bench = new FactoryFixture(1, 30).vswitch("vsw-1", 50);
        List<Resource> had = bench.get(2).stream().filter(one -> !one.primary()).toList();
        bench.latency = CALL;

        List<CompletableFuture<CreateResult>> asked = bench.ask(2);
        var disposed = bench.giveBack(had);
        bench.time.advance(CALL.plus(AddressBatcher.QUIET));

        assertThat(resources(asked)).hasSize(2);
        bench.time.advance(CALL);
        assertThat(disposed).allMatch(CompletableFuture::isDone);
    }

    @Test
    void requestsThatComeWhileAnAssignIsOutShareTheNextOne() {
        FactoryFixture bench = new FactoryFixture(1, 30).vswitch("vsw-1", 50);
        bench.get(1);
        bench.latency = CALL;
        List<CompletableFuture<CreateResult>> asked = new ArrayList<>(bench.ask(1));
        bench.time.advance(AddressBatcher.QUIET);

        for (int i = 0; i < 5; i++) {
            asked.addAll(bench.ask(1));
            bench.time.advance(Duration.ofMillis(100));
        }
        bench.time.advance(CALL.multipliedBy(2));

        assertThat(resources(asked)).hasSize(6);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(2);
    }

    /** The engine on the cloud's factory, in virtual time; each call of the cloud takes a second. */
    private static final class Node {
        private final VirtualTime time = new VirtualTime();
        private final RecordedEvents events = new RecordedEvents(time);
        private final MemoryPods pods = new MemoryPods();
        private final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(3, 30, 0), Duration.ofSeconds(2));
        private final NodeIpam engine;
        private final int assignsBefore;

        /** One that has an ENI, and is at rest. */
        Node(int minIdle, int maxIdle) {
            CloudFactory factory = new CloudFactory(
                    FactoryFixture.settings(FactoryFixture.OWN, 2, 30),
                    List.of(cloud.addVSwitch("vsw-1", 1, 100)),
                    new CloudFactory.Context(
                            cloud,
                            new MemoryCloudJournal(),
                            time,
                            time,
                            events,
                            call -> time.after(CALL, call),
                            new EniSlots(2, 2),
                            List::of));
            EngineConfig defaults = EngineConfig.defaults();
            EngineConfig config = new EngineConfig(
                    new Watermarks(minIdle, maxIdle, Integer.MAX_VALUE),
                    defaults.families(),
                    Duration.ZERO,
                    defaults.createTimeout(),
                    new EngineConfig.Intervals(
                            defaults.intervals().gc(),
                            defaults.intervals().poolCheck(),
                            defaults.intervals().reconcile()));
            engine = new NodeIpam(
                    config,
                    new EnginePorts(
                            new EngineContext(
                                    time,
                                    time,
                                    new SplittableRandom(1),
                                    new MemoryDb(time, () -> Duration.ofMillis(1)),
                                    events,
                                    new RecordedTraces(time)),
                            pods,
                            new MemoryDatapath(),
                            new FactorySet(new NamedFactory("cloud", factory), List.of(), name -> {}),
                            new DirectPolicy(new WatermarkPolicy(), events)));
            CompletableFuture<Void> started = engine.start();
            time.advance(Duration.ofMinutes(1));
            started.join();
            // its ENI is made for the first pod
            burst(1, Duration.ZERO);
            time.advance(Duration.ofMinutes(1));
            assignsBefore = cloud.calls(Call.ASSIGN);
        }

        /** ADDs of new pods, with a gap after each. */
        List<CompletableFuture<AddOutcome>> burst(int count, Duration gap) {
            List<CompletableFuture<AddOutcome>> adds = new ArrayList<>();
            int begun = engine.leases().size();
            for (int i = 0; i < count; i++) {
                String name = "p-" + (begun + i);
                pods.put("default/" + name);
                adds.add(engine.add(
                        new AddCommand(new OwnerKey("enipam", name, "eth0"), new PodRef("default", name), PATIENCE)));
                time.advance(gap);
            }
            return adds;
        }
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The engine against a factory whose every answer the test gives by hand. */
class ProvisioningTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryDb db = new MemoryDb(time, () -> Duration.ZERO);
    private final MemoryPods pods = new MemoryPods();
    private final RecordedEvents events = new RecordedEvents(time);
    private final ByHand factory = new ByHand();
    private NamedFactory maker = new NamedFactory("cloud", factory);

    @Test
    void aPartialBatchServesWhomItCanAndTheOthersAreAskedForAgain() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        CompletableFuture<AddOutcome> b = add(engine, "b");

        factory.creates.get(0).complete(new Created(resource(1)));
        factory.creates.get(1).complete(Failed.of(ErrorKind.THROTTLED, "Throttling.User"));
        time.settle();
        assertThat(a).isCompleted();
        assertThat(b).isNotDone();

        time.advance(Duration.ofSeconds(2));
        assertThat(factory.creates).hasSize(3);
        factory.creates.get(2).complete(new Created(resource(2)));
        time.settle();
        assertThat(b).isCompleted();
    }

    @Test
    void aFactoryThatNeverAnswersCostsOneCallerNotTheRoom() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        time.advance(Duration.ofSeconds(20));

        assertThat(EngineFixture.failure(a)).hasMessageContaining("no address for pod default/a");
        time.advance(Duration.ofMinutes(2));
        assertThat(engine.pool().summary().count(ResourceState.CREATING)).isZero();
    }

    @Test
    void anAddressThatComesAfterItsDeadlineIsNotLost() {
        NodeIpam engine = start(0, 5);
        add(engine, "a");
        time.advance(Duration.ofMinutes(2));

        factory.creates.get(0).complete(new Created(resource(1)));
        time.settle();

        assertThat(engine.pool().summary().count(ResourceState.IDLE)).isEqualTo(1);
    }

    @Test
    void anAddressThatComesLateToAFullPoolGoesBackToTheCloud() {
        factory.capacity = 1;
        NodeIpam engine = start(0, 5);
        add(engine, "a");
        time.advance(Duration.ofMinutes(2));
        CompletableFuture<AddOutcome> b = add(engine, "b");
        factory.creates.get(1).complete(new Created(resource(2)));
        time.settle();
        assertThat(b).isCompleted();

        factory.creates.get(0).complete(new Created(resource(1)));
        time.settle();

        assertThat(factory.disposed).containsExactly(resource(1).id());
        assertThat(engine.pool().entries()).hasSize(1);
    }

    @Test
    void aWaiterOnACreateIsWokenByARelease() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        factory.creates.get(0).complete(new Created(resource(1)));
        time.settle();
        CompletableFuture<AddOutcome> b = add(engine, "b");
        assertThat(b).isNotDone();

        engine.del(a.join().lease().owner());
        time.settle();

        assertThat(b).isCompleted();
    }

    @Test
    void oneDisposalThatFailsDoesNotDelayAnother() {
        factory.manualDispose = true;
        NodeIpam engine = start(0, 0);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            CompletableFuture<AddOutcome> add = add(engine, "p" + i);
            factory.creates.get(i).complete(new Created(resource(i + 1)));
            time.settle();
            leases.add(add.join().lease());
        }
        leases.forEach(lease -> engine.del(lease.owner()));
        time.settle();
        assertThat(factory.disposals).hasSize(2);

        factory.disposals.get(0).complete(Failed.of(ErrorKind.CONFLICT, "Operation.Conflict"));
        factory.disposals.get(1).complete(new Disposed(leases.get(1).resource().id()));
        time.settle();

        assertThat(engine.pool().entries()).singleElement().satisfies(entry -> {
            assertThat(entry.resource()).isEqualTo(leases.get(0).resource());
            assertThat(entry.state()).isEqualTo(ResourceState.DISPOSING);
        });
        time.advance(Duration.ofSeconds(2));
        assertThat(factory.disposals).hasSize(3);
        factory.disposals.get(2).complete(Failed.of(ErrorKind.NOT_FOUND, "InvalidEniId.NotFound"));
        time.settle();
        assertThat(engine.pool().entries()).isEmpty();
        assertThat(db.contents().intents()).isEmpty();
    }

    @Test
    void aPrimaryAddressWhoseEniGotAnotherMeanwhileIsLentAgainInsteadOfBeingInTheWayForEver() {
        factory.manualDispose = true;
        NodeIpam engine = start(0, 0);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        Resource primary = primary(1);
        factory.creates.get(0).complete(new Created(primary));
        time.settle();
        engine.del(a.join().lease().owner());
        time.settle();
        assertThat(factory.disposed).containsExactly(primary.id());
        add(engine, "b");
        factory.creates.get(1).complete(new Created(resource(2)));
        time.settle();

        factory.disposals.get(0).complete(Failed.of(ErrorKind.CONFLICT, "the ENI has other addresses"));
        time.settle();

        assertThat(db.contents().intents()).isEmpty();
        assertThat(add(engine, "c").join().lease().resource().id()).isEqualTo(primary.id());
        time.advance(Duration.ofMinutes(5));
        assertThat(factory.disposals).hasSize(1);
    }

    @Test
    void aPrimaryAddressThatWaitsForOthersToGoIsTriedAgainSoonHoweverLongItTook() {
        factory.manualDispose = true;
        NodeIpam engine = start(0, 0);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        factory.creates.get(0).complete(new Created(primary(1)));
        time.settle();
        engine.del(a.join().lease().owner());
        time.settle();
        for (int i = 0; i < 20; i++) {
            factory.disposals.get(i).complete(Failed.of(ErrorKind.CONFLICT, "somebody else's address is on the ENI"));
            time.advance(Duration.ofSeconds(6));
            assertThat(factory.disposals).hasSizeGreaterThan(i + 1);
        }
    }

    @Test
    void moreThanCapacityIsNeverAskedForHoweverManyWait() {
        factory.capacity = 3;
        NodeIpam engine = start(0, 5);
        for (int i = 0; i < 7; i++) {
            add(engine, "p" + i);
        }

        assertThat(factory.creates).hasSize(3);
        assertThat(engine.pool().summary().count(ResourceState.CREATING)).isEqualTo(3);
    }

    @Test
    void theIntentionIsOnDiskBeforeTheCloudIsAsked() {
        NodeIpam engine = start(0, 5);
        db.broken(true);
        add(engine, "a");

        assertThat(factory.creates).isEmpty();
        assertThat(engine.pool().summary().count(ResourceState.CREATING)).isZero();
    }

    @Test
    void everyRequestHasATokenOfItsOwn() {
        NodeIpam engine = start(0, 5);
        for (int i = 0; i < 5; i++) {
            add(engine, "p" + i);
        }

        assertThat(factory.tokens).hasSize(5);
    }

    @Test
    void aConfigurationThatIsWrongIsToldToAllWhoWaitAtOnce() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        CompletableFuture<AddOutcome> b = add(engine, "b");

        factory.creates.get(0).complete(Failed.of(ErrorKind.MISCONFIGURED, "there is no vSwitch vsw-none"));
        time.settle();
        assertThat(a).as("the other create may serve it").isNotDone();
        factory.creates.get(1).complete(Failed.of(ErrorKind.MISCONFIGURED, "there is no vSwitch vsw-none"));
        time.settle();

        for (CompletableFuture<AddOutcome> add : List.of(a, b)) {
            assertThat(EngineFixture.failure(add))
                    .hasMessageContaining("no address for pod default/")
                    .hasMessageContaining("there is no vSwitch vsw-none")
                    .satisfies(e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.CLOUD_FAILED);
                        assertThat(e.hint()).contains("correct the configuration", "the next try is in");
                    });
        }
        assertThat(engine.pool().summary().waiting()).isZero();
    }

    @Test
    void aPersonMayHaveCreatesTriedNowWhateverTheBackOff() {
        NodeIpam engine = start(1, 5);
        factory.creates.get(0).complete(Failed.of(ErrorKind.UNAVAILABLE, "ECS does not answer"));
        time.settle();
        assertThat(factory.creates).as("the back-off lasts").hasSize(1);

        engine.retryCreates();
        time.settle();

        assertThat(factory.creates).hasSize(2);
        factory.creates.get(1).complete(new Created(resource(1)));
        time.settle();
        assertThat(engine.pendingWork().createTrouble()).isEmpty();
    }

    @Test
    void whatAPluginsFactoryCannotMakeIsNoFailureOfTheCloud() {
        maker = new NamedFactory("cidr", factory, "cidr", true);
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        factory.creates.get(0).complete(Failed.of(ErrorKind.MISCONFIGURED, "there are no ranges"));
        time.settle();

        assertThat(EngineFixture.failure(a))
                .hasMessageContaining(" by factory cidr: there are no ranges")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.PLUGIN_FAILED));
    }

    @Test
    void whereNothingCanBeMadeUntilSomebodyMendsItWhatIsKeptForAPodThatMayComeGoesToOneThatIsHere() {
        NodeIpam engine = start(0, 5);
        pods.put("default/web-0", "uid-1", false, Duration.ofMinutes(5));
        CompletableFuture<AddOutcome> web = again(engine, "web-0");
        factory.creates.get(0).complete(new Created(resource(1)));
        time.settle();
        engine.del(web.join().lease().owner());
        CompletableFuture<AddOutcome> a = add(engine, "a");
        assertThat(a).isNotDone();
        CompletableFuture<AddOutcome> b = add(engine, "b");

        factory.creates.get(1).complete(Failed.of(ErrorKind.MISCONFIGURED, "there is no vSwitch vsw-none"));
        factory.creates.get(2).complete(Failed.of(ErrorKind.MISCONFIGURED, "there is no vSwitch vsw-none"));
        time.settle();

        assertThat(a.join().lease().resource().id()).isEqualTo(resource(1).id());
        assertThat(EngineFixture.failure(b).code()).isEqualTo(ErrorCode.CLOUD_FAILED);
    }

    @Test
    void whoComesWhileTheRightsAreMissingIsToldAtOnceAndTheFirstAfterAMinuteTriesAgain() {
        NodeIpam engine = start(0, 5);
        add(engine, "a");
        factory.creates.get(0).complete(Failed.of(ErrorKind.UNAUTHORIZED, "Forbidden.RAM"));
        time.settle();

        CompletableFuture<AddOutcome> b = add(engine, "b");
        assertThat(EngineFixture.failure(b).code()).isEqualTo(ErrorCode.CLOUD_FAILED);
        assertThat(EngineFixture.failure(b).hint()).contains("correct the credentials");
        time.advance(Duration.ofSeconds(25));
        assertThat(add(engine, "c")).isCompletedExceptionally();
        assertThat(factory.creates).hasSize(1);

        time.advance(Duration.ofMinutes(1));
        CompletableFuture<AddOutcome> d = add(engine, "d");
        assertThat(factory.creates).hasSize(2);
        assertThat(d).isNotDone();
        factory.creates.get(1).complete(new Created(resource(1)));
        time.settle();
        assertThat(d).isCompleted();
        assertThat(events.types()).contains("ResourceCreateResumed");
        CompletableFuture<AddOutcome> e = add(engine, "e");
        assertThat(e).as("the blockade is over").isNotDone();
        assertThat(factory.creates).hasSize(3);
    }

    @Test
    void whoComesLaterIsToldSinceWhenCreatesAreBlockedAndThatItIsTheClock() {
        NodeIpam engine = start(0, 5);
        add(engine, "a");
        String since = time.now().toString().substring(11, 19);
        factory.creates
                .get(0)
                .complete(Failed.of(ErrorKind.UNAUTHORIZED, "InvalidTimeStamp.Expired: the time stamp is expired"));
        time.settle();
        time.advance(Duration.ofSeconds(20));

        IpamException refusal = EngineFixture.failure(add(engine, "b"));
        assertThat(refusal).hasMessageContaining("creates are blocked since " + since + " UTC by: InvalidTimeStamp");
        assertThat(refusal.hint()).contains("set this node's clock").doesNotContain("credentials");
    }

    @Test
    void whoWaitsInVainForACloudThatDoesNotAnswerIsToldSo() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        while (!a.isDone()) {
            time.advance(Duration.ofSeconds(1));
        }

        IpamException refusal = EngineFixture.failure(a);
        assertThat(refusal.code()).isEqualTo(ErrorCode.POOL_EXHAUSTED);
        assertThat(refusal).hasMessageMatching(".*creates have been waiting for the cloud for [0-9.]+ s.*");
        assertThat(refusal.hint()).contains("'ecs calls'", "'doctor'");
    }

    @Test
    void anAddressThatComesFreeIsLentAlthoughNoneCanBeMade() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        factory.creates.get(0).complete(new Created(resource(1)));
        time.settle();
        add(engine, "b");
        factory.creates.get(1).complete(Failed.of(ErrorKind.MISCONFIGURED, "InvalidSecurityGroupId.NotFound"));
        time.settle();

        engine.del(a.join().lease().owner());
        time.settle();

        assertThat(add(engine, "c")).isCompleted();
    }

    @Test
    void whatSomebodyHasToMendIsTriedOnceAMinuteAndToldOnce() {
        NodeIpam engine = start(3, 5);
        for (int minute = 0; minute < 10; minute++) {
            factory.creates.stream()
                    .filter(create -> !create.isDone())
                    .forEach(create -> create.complete(Failed.of(ErrorKind.UNAUTHORIZED, "Forbidden.RAM")));
            time.advance(Duration.ofMinutes(1));
        }

        assertThat(factory.creates).as("three at a time, once a minute at most").hasSizeBetween(15, 33);
        assertThat(events.types()).containsOnlyOnce("ResourceCreateFailed");

        factory.creates.stream()
                .filter(create -> !create.isDone())
                .forEach(create -> create.complete(Failed.of(ErrorKind.UNAUTHORIZED, "Forbidden.RAM")));
        time.settle();
        assertThat(events.types().stream().filter("ResourceCreateFailed"::equals))
                .as("an alert that is never repeated is forgotten")
                .hasSize(2);
        assertThat(engine.pool().summary().count(ResourceState.IDLE)).isZero();
    }

    @Test
    void aQuotaIsLeftAloneForAsLongAsTheFactorySays() {
        NodeIpam engine = start(0, 5);
        CompletableFuture<AddOutcome> a = add(engine, "a");
        factory.creates
                .get(0)
                .complete(new Failed(ErrorKind.QUOTA_EXHAUSTED, "EniPerInstanceLimitExceeded", Duration.ofSeconds(15)));
        time.advance(Duration.ofSeconds(14));
        assertThat(factory.creates).hasSize(1);
        assertThat(a).as("a release may serve it").isNotDone();

        time.advance(Duration.ofSeconds(2));
        assertThat(factory.creates).hasSize(2);
        factory.creates
                .get(1)
                .complete(new Failed(
                        ErrorKind.ADDRESSES_EXHAUSTED, "vSwitch vsw-1 has no free address", Duration.ofMinutes(8)));
        time.advance(Duration.ofMinutes(7));
        assertThat(EngineFixture.failure(a)).hasMessageContaining("vSwitch vsw-1 has no free address");
        CompletableFuture<AddOutcome> b = add(engine, "b");
        assertThat(factory.creates).hasSize(2);
        time.advance(Duration.ofSeconds(19));
        assertThat(b).isNotDone();
    }

    private NodeIpam start(int minIdle, int maxIdle) {
        NodeIpam engine = new NodeIpam(
                EngineFixture.config(minIdle, maxIdle, Duration.ZERO),
                new EnginePorts(
                        new EngineContext(time, time, new SplittableRandom(1), db, events),
                        pods,
                        new MemoryDatapath(),
                        FactorySet.of(maker),
                        new DirectPolicy(new WatermarkPolicy(), events)));
        CompletableFuture<Void> started = engine.start();
        time.settle();
        started.join();
        return engine;
    }

    private CompletableFuture<AddOutcome> add(NodeIpam engine, String pod) {
        pods.put("default/" + pod);
        return again(engine, pod);
    }

    /** Adds a pod that there is. */
    private CompletableFuture<AddOutcome> again(NodeIpam engine, String pod) {
        CompletableFuture<AddOutcome> add = engine.add(new AddCommand(
                EngineFixture.owner("c-" + pod), PodRef.parse("default/" + pod), Duration.ofSeconds(20)));
        time.settle();
        return add;
    }

    private static Resource resource(int n) {
        return resource(n, Map.of());
    }

    private static Resource primary(int n) {
        return resource(n, Map.of(Resource.PRIMARY, "true"));
    }

    private static Resource resource(int n, Map<String, String> attributes) {
        return new Resource(
                new ResourceId("eni-1/10.0.0." + n),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0." + n + "/24")),
                "eni-1",
                attributes);
    }

    private static final class ByHand implements ResourceFactory {
        private final List<CompletableFuture<CreateResult>> creates = new ArrayList<>();
        private final List<CompletableFuture<DisposeResult>> disposals = new ArrayList<>();
        private final List<ResourceId> disposed = new ArrayList<>();
        private final Set<String> tokens = new HashSet<>();
        private int capacity = 10;
        private boolean manualDispose;

        @Override
        public ResourceKind kind() {
            return ResourceKind.ENI_IP;
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(Set.of(Family.IPV4), capacity, 10, false);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            List<CompletionStage<CreateResult>> stages = new ArrayList<>();
            for (CreateRequest request : requests) {
                tokens.add(request.token().value());
                CompletableFuture<CreateResult> stage = new CompletableFuture<>();
                creates.add(stage);
                stages.add(stage);
            }
            return stages;
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            List<CompletionStage<DisposeResult>> stages = new ArrayList<>();
            for (Resource resource : resources) {
                disposed.add(resource.id());
                CompletableFuture<DisposeResult> stage = new CompletableFuture<>();
                if (manualDispose) {
                    disposals.add(stage);
                } else {
                    stage.complete(new Disposed(resource.id()));
                }
                stages.add(stage);
            }
            return stages;
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return CompletableFuture.completedFuture(List.of());
        }
    }
}

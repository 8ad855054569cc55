package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolFactories.FactoryView.Role;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
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
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FactorySwitchoverTest {
    private final RandomGenerator random = new SplittableRandom(1);
    private final VirtualTime time = new VirtualTime(random);
    private final MemoryDb db = new MemoryDb(time, () -> Duration.ZERO);
    private final MemoryPods pods = new MemoryPods();
    private final RecordedEvents events = new RecordedEvents(time);
    private final MemoryFactory cloud = factory("eni-cloud", 0, 10);
    private final MemoryFactory bare = factory("rack", 1, 10);
    private final List<String> drained = new ArrayList<>();
    private NodeIpam engine = engine(named("cloud", cloud));

    @Test
    void callersKeepTheirAddressesAndNewOnesComeFromTheNextFactory() {
        start();
        Lease before = add("default/a", "c1");

        swap("bare", bare);
        Lease after = add("default/b", "c2");

        assertThat(before.resource().factory()).isEqualTo("cloud");
        assertThat(after.resource().factory()).isEqualTo("bare");
        assertThat(engine.lease(owner("c1"))).contains(before);
        assertThat(engine.factories())
                .containsExactly(
                        new FactoryView("bare", Role.ACTIVE, 3, 1), new FactoryView("cloud", Role.LEAVING, 1, 1));
        assertThat(cloud.contents()).containsExactly(before.resource());
    }

    @Test
    void theFormerFactoryIsDoneWithWhenItsLastAddressIsGivenBack() {
        start();
        add("default/a", "c1");
        swap("bare", bare);
        assertThat(drained).isEmpty();

        del("c1");

        assertThat(cloud.contents()).isEmpty();
        assertThat(drained).containsExactly("cloud");
        assertThat(engine.factories()).extracting(FactoryView::name).containsExactly("bare");
        assertThat(events.types()).contains("FactorySwapped", "FactoryLeaving", "FactoryDrained");
    }

    @Test
    void anAddressKeptForAPodIsKeptToItsEndThoughItsFactoryLeaves() {
        start();
        pods.put("default/db-0", "uid-1", false, Duration.ofMinutes(5));
        Lease kept = addKnown("default/db-0", "c1");
        del("c1");
        swap("bare", bare);
        assertThat(cloud.contents()).hasSize(1);

        assertThat(addKnown("default/db-0", "c2").resource()).isEqualTo(kept.resource());
        del("c2");
        advance(Duration.ofMinutes(6));

        assertThat(cloud.contents()).isEmpty();
        assertThat(drained).containsExactly("cloud");
    }

    @Test
    void aFactoryThatMakesNothingNeverTakesOver() {
        start();
        MemoryFactory broken = new MemoryFactory(
                "rack",
                1,
                time,
                10,
                () -> Duration.ZERO,
                () -> Optional.of(Failed.of(ErrorKind.UNAUTHORIZED, "the password is wrong")));

        IpamException refusal = refusal(engine.switchFactory(named("bare", broken)));

        assertThat(refusal.code()).isEqualTo(ErrorCode.CLOUD_FAILED);
        assertThat(refusal).hasMessageContaining("the password is wrong");
        assertThat(engine.factories()).extracting(FactoryView::name).containsExactly("cloud");
        assertThat(drained).containsExactly("bare");
        assertThat(add("default/a", "c1").resource().factory()).isEqualTo("cloud");
    }

    @Test
    void aFactoryThatCannotBeListedNeverTakesOver() {
        start();
        bare.down(true);

        assertThat(refusal(engine.switchFactory(named("bare", bare)))).hasMessageContaining("the cloud is away");
        assertThat(engine.pool().summary().kind()).isEqualTo("eni-ip");
        assertThat(drained).containsExactly("bare");
    }

    @Test
    void whatTheNextFactoryHasAlreadyIsTakenUp() {
        bare.create(List.of(request(1), request(2)));
        time.settle();
        start();

        swap("bare", bare);

        assertThat(bare.contents()).hasSize(2);
        assertThat(engine.pool().summary().count(ResourceState.IDLE)).isEqualTo(2);
    }

    @Test
    void twoSwapsAtOnceAreOneTooMany() {
        MemoryFactory slow = new MemoryFactory("rack", 1, time, 10, () -> Duration.ofSeconds(1), Optional::empty);
        start();
        CompletableFuture<Void> first = engine.switchFactory(named("bare", slow));

        assertThat(refusal(engine.switchFactory(named("lab", factory("lab", 2, 5))))
                        .code())
                .isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(refusal(engine.switchFactory(named("bare", slow))).code()).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThat(engine.factories())
                .extracting(FactoryView::role)
                .containsExactlyInAnyOrderElementsOf(
                        engine.factories().size() == 1 ? List.of(Role.ACTIVE) : List.of(Role.ACTIVE, Role.COMING));
        advance(Duration.ofSeconds(5));
        first.join();
        assertThat(refusal(engine.switchFactory(named("bare", slow))).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aSwapThatIsCancelledLeavesTheFormerFactoryAndNothingOfTheNext() {
        MemoryFactory slow = new MemoryFactory("rack", 1, time, 10, () -> Duration.ofSeconds(10), Optional::empty);
        start();
        IpamException why = new IpamException(ErrorCode.TRY_AGAIN, "the operator changed their mind", "");
        assertThat(engine.cancelSwitch(why)).isFalse();
        CompletableFuture<Void> swap = engine.switchFactory(named("bare", slow));

        assertThat(engine.cancelSwitch(why)).isTrue();

        assertThat(refusal(swap)).isSameAs(why);
        assertThat(engine.cancelSwitch(why)).isFalse();
        assertThat(add("default/a", "c1").resource().factory()).isEqualTo("cloud");
        swap("lab", factory("lab", 2, 5));
        advance(Duration.ofMinutes(1));
        assertThat(slow.contents())
                .as("what was being made meanwhile went back")
                .isEmpty();
        assertThat(drained).contains("bare");
    }

    @Test
    void aFactoryThatHasTakenOverIsNotCancelled() {
        start();
        swap("bare", bare);

        assertThat(engine.cancelSwitch(new IpamException(ErrorCode.TRY_AGAIN, "too late", "")))
                .isFalse();
        assertThat(add("default/a", "c1").resource().factory()).isEqualTo("bare");
    }

    @Test
    void aFactoryThatWasLeavingMayComeBack() {
        start();
        add("default/a", "c1");
        swap("bare", bare);
        swap("cloud", cloud);

        assertThat(engine.factories().get(0).name()).isEqualTo("cloud");
        assertThat(bare.contents()).isEmpty();
        assertThat(drained).containsExactly("bare");
        del("c1");
        assertThat(engine.pool().entries())
                .allMatch(entry -> entry.resource().factory().equals("cloud"));
    }

    @Test
    void callersThatWaitedForTheOldFactoryAreServedByTheNew() {
        cloud.down(true);
        MemoryFactory nothing = factory("eni-cloud", 0, 0);
        engine = engine(named("cloud", nothing));
        start();
        pods.put("default/a");
        CompletableFuture<AddOutcome> waiting = adding("default/a", "c1");
        assertThat(waiting).isNotDone();

        swap("bare", bare);

        assertThat(waiting.join().lease().resource().factory()).isEqualTo("bare");
    }

    @Test
    void twoFactoriesOfOneProviderHaveTheSameAddressesAndNothingDrains() {
        start();
        Lease lease = add("default/a", "c1");
        int creates = cloud.creates();

        engine.switchFactory(new NamedFactory("wrapped", cloud, "cloud"));
        time.settle();

        assertThat(drained).containsExactly("cloud");
        assertThat(cloud.creates()).isEqualTo(creates);
        assertThat(engine.factories()).containsExactly(new FactoryView("wrapped", Role.ACTIVE, 3, 1));
        assertThat(engine.lease(owner("c1"))).contains(lease);
        del("c1");
        assertThat(cloud.contents()).hasSize(3);
    }

    @Test
    void aFactoryThatIsStillLeavingGoesOnUnderTheNameOfItsWrapper() {
        start();
        Lease lease = add("default/a", "c1");
        swap("bare", bare);

        engine.switchFactory(new NamedFactory("wrapped", cloud, "cloud"));
        time.settle();

        assertThat(drained).containsExactly("cloud", "bare");
        assertThat(engine.factories()).extracting(FactoryView::name).containsExactly("wrapped");
        del("c1");
        assertThat(engine.pool().entries())
                .anyMatch(entry -> entry.resource().equals(lease.resource()) && entry.state() == ResourceState.IDLE);
        assertThat(engine.pool().entries())
                .allMatch(entry -> entry.resource().factory().equals("wrapped"));
    }

    @Test
    void anAddressThatTheOldFactoryDeliversAfterItLeftGoesBackToIt() {
        MemoryFactory slow = new MemoryFactory("eni-cloud", 0, time, 10, () -> Duration.ofSeconds(20), Optional::empty);
        engine = engine(named("cloud", slow));
        engine.start();
        advance(Duration.ofSeconds(21));
        CompletableFuture<Void> swap = engine.switchFactory(named("bare", bare));
        time.settle();
        swap.join();
        assertThat(drained).isEmpty();

        advance(Duration.ofSeconds(60));

        assertThat(slow.creates()).isPositive();
        assertThat(slow.contents()).isEmpty();
        assertThat(drained).containsExactly("cloud");
    }

    @Test
    void aRestartGoesOnDrainingAndAFactoryThatIsSilentHoldsNobodyUp() {
        start();
        Lease old = add("default/a", "c1");
        swap("bare", bare);
        cloud.down(true);

        restart(new FactorySet(named("bare", bare), List.of(named("cloud", cloud)), drained::add));

        assertThat(engine.status().phase()).isEqualTo(EngineStatus.Phase.READY);
        assertThat(add("default/b", "c2").resource().factory()).isEqualTo("bare");
        assertThat(engine.lease(owner("c1")).orElseThrow().resource()).isEqualTo(old.resource());
        del("c1");
        assertThat(drained).isEmpty();

        cloud.down(false);
        advance(Duration.ofMinutes(2));

        assertThat(cloud.contents()).isEmpty();
        assertThat(drained).containsExactly("cloud");
        assertThat(db.contents().intents()).isEmpty();
    }

    @Test
    void aRestartInTheMiddleOfASwapTakesBackWhatTheNextFactoryMade() {
        start();
        bare.create(List.of(request(1)));
        time.settle();

        restart(new FactorySet(named("cloud", cloud), List.of(named("bare", bare)), drained::add));
        advance(Duration.ofSeconds(5));

        assertThat(bare.contents()).isEmpty();
        assertThat(drained).containsExactly("bare");
    }

    @Test
    void theCapacityShownIsThatOfTheActiveFactoryAndOfWhatIsStillOut() {
        start();
        add("default/a", "c1");

        swap("bare", factory("rack", 1, 4));

        assertThat(engine.pool().summary().capacity()).isEqualTo(5);
        del("c1");
        assertThat(engine.pool().summary().capacity()).isEqualTo(4);
    }

    @Test
    void aFactoryThatDeliversAnAddressTheNodeHasAlreadyIsNotBelieved() {
        start();
        Lease lease = add("default/a", "c1");
        Parrot parrot = new Parrot(lease.resource());

        assertThat(refusal(engine.switchFactory(named("parrot", parrot)))).hasMessageContaining("in the pool already");

        assertThat(parrot.disposed).isEmpty();
        assertThat(engine.lease(owner("c1"))).contains(lease);
        assertThat(events.types()).contains("ResourceClash");
    }

    @Test
    void aDrainedPoolSwapsItsFactoryAndTheNextMakesNoMoreThanTheProof() {
        start();
        Lease lease = add("default/a", "c1");
        engine.capacityOverride(CapacityOverride.drained(time.now()));
        time.advance(Duration.ofSeconds(30));

        CompletableFuture<Void> swap = engine.switchFactory(named("bare", bare));
        time.advance(Duration.ofSeconds(30));

        assertThat(swap).isCompletedWithValue(null);
        assertThat(bare.creates()).isEqualTo(1);
        assertThat(engine.pool().entries())
                .as("nothing is kept in stock")
                .singleElement()
                .matches(entry -> entry.resource().equals(lease.resource()));
        assertThat(engine.factories().get(0).name()).isEqualTo("bare");
    }

    @Test
    void beforeTheEngineServesThereIsNothingToSwap() {
        assertThat(refusal(engine.switchFactory(named("bare", bare))).code()).isEqualTo(ErrorCode.TRY_AGAIN);
        assertThatThrownBy(() -> engine.switchFactory(named("bare", bare)).join())
                .hasCauseInstanceOf(IpamException.class);
    }

    @Test
    void callersAreNotKeptWaitingByAFactoryThatHangsWhileItComes() {
        engine = engine(0, new FactorySet(named("cloud", cloud), List.of(), drained::add));
        start();
        MemoryFactory hanging = slow("rack", 1, Duration.ofMinutes(5));
        hanging.listsAtOnce();
        engine.switchFactory(named("bare", hanging));
        time.settle();

        assertThat(add("default/a", "c1").resource().factory()).isEqualTo("cloud");
    }

    @Test
    void whatTheFormerFactoryMayStillDeliverKeepsNoCallerWaiting() {
        MemoryFactory slow = slow("eni-cloud", 0, Duration.ofSeconds(20));
        slow.listsAtOnce();
        engine = engine(named("cloud", slow));
        start();
        for (int i = 0; i < 4; i++) {
            pods.put("default/w" + i);
            adding("default/w" + i, "w" + i);
        }
        swap("bare", bare);
        assertThat(engine.leases()).hasSize(4);

        for (int i = 0; i < 3; i++) {
            assertThat(add("default/p" + i, "c" + i).resource().factory()).isEqualTo("bare");
        }
    }

    @Test
    void aFailureOfTheFormerFactoryDoesNotSlowTheNextOneDown() {
        MemoryFactory failing = new MemoryFactory(
                "eni-cloud",
                0,
                time,
                10,
                () -> Duration.ofSeconds(20),
                () -> Optional.of(new Failed(ErrorKind.THROTTLED, "come back tomorrow", Duration.ofDays(1))));
        failing.listsAtOnce();
        engine = engine(named("cloud", failing));
        start();
        swap("bare", bare);
        advance(Duration.ofSeconds(21));

        for (int i = 0; i < 4; i++) {
            add("default/p" + i, "c" + i);
        }

        assertThat(bare.contents()).hasSizeGreaterThanOrEqualTo(4);
    }

    @Test
    void aPauseThatTheFormerFactoryAskedForDoesNotOutlastIt() {
        MemoryFactory failing = new MemoryFactory(
                "eni-cloud",
                0,
                time,
                10,
                () -> Duration.ZERO,
                () -> Optional.of(new Failed(ErrorKind.THROTTLED, "come back tomorrow", Duration.ofDays(1))));
        engine = engine(named("cloud", failing));
        start();
        AtomicBoolean away = new AtomicBoolean();
        MemoryFactory hiccup = new MemoryFactory(
                "rack",
                1,
                time,
                10,
                () -> Duration.ZERO,
                () -> away.get() ? Optional.of(Failed.of(ErrorKind.UNAVAILABLE, "a hiccup")) : Optional.empty());
        swap("bare", hiccup);
        away.set(true);
        add("default/a", "c1");
        add("default/b", "c2");
        pods.put("default/c");
        CompletableFuture<AddOutcome> waiting = adding("default/c", "c3");
        assertThat(waiting).isNotDone();
        away.set(false);

        advance(Duration.ofSeconds(5));

        assertThat(waiting).isCompleted();
    }

    @Test
    void aTwinIsNotClosedBeforeWhatItWasAskedForHasCome() {
        MemoryFactory slow = slow("eni-cloud", 0, Duration.ofSeconds(20));
        slow.listsAtOnce();
        engine = engine(named("wrapped", slow, "cloud"));
        start();

        CompletableFuture<Void> swap = engine.switchFactory(named("cloud", slow, "cloud"));
        time.settle();
        assertThat(swap).isCompleted();
        assertThat(drained).isEmpty();
        assertThat(engine.pool().summary().count(ResourceState.CREATING)).isEqualTo(2);
        advance(Duration.ofMinutes(1));

        assertThat(drained).containsExactly("wrapped");
        assertThat(engine.pool().summary().count(ResourceState.CREATING)).isZero();
        assertThat(engine.factories()).containsExactly(new FactoryView("cloud", Role.ACTIVE, 2, 0));
        swap("bare", bare);
        advance(Duration.ofMinutes(1));
        assertThat(drained).containsExactly("wrapped", "cloud");
    }

    /** The address that a pod has by a lost resource, which the cloud lends again. */
    private void keepAside(Lease old, MemoryFactory factory, String eni) {
        factory.makeNext(eni, old.resource().addresses().get(0).host());
        for (int i = 0; i < 3; i++) {
            add("default/more-" + i, "more-" + i);
        }
        assertThat(events.types()).contains("ResourceClash");
    }

    @Test
    void aTwinIsDoneWithThoughAnAddressIsKeptAside() {
        engine = engine(named("wrapped", cloud, "cloud"));
        start();
        Lease old = add("default/a", "c1");
        cloud.lose(old.resource().id());
        engine.reconcile();
        advance(Duration.ofSeconds(2));
        keepAside(old, cloud, "eni-new");

        CompletableFuture<Void> swap = engine.switchFactory(named("cloud", cloud, "cloud"));
        time.settle();
        assertThat(swap).isCompleted();

        assertThat(drained).containsExactly("wrapped");
        del("c1");
        assertThat(events.types()).as("the address joins the pool").contains("AddressAdopted");
    }

    @Test
    void aLeavingFactoryIsDoneWithWhenTheCloudHasWhatWasKeptAsideNoMore() {
        engine = engine(named("bare", bare));
        start();
        Lease old = add("default/a", "c1");
        swap("cloud", cloud);
        keepAside(old, cloud, "eni-new");
        swap("bare", bare);
        for (int i = 0; i < 3; i++) {
            del("more-" + i);
        }
        assertThat(drained).isEmpty();

        cloud.contents().forEach(left -> cloud.lose(left.id()));
        engine.reconcile();
        advance(Duration.ofSeconds(2));

        assertThat(drained).containsExactly("cloud");
    }

    @Test
    void aLeavingFactoryThatIsCalledBackIsNotDoneWithWhileItIsListed() {
        MemoryFactory slow = slow("eni-cloud", 0, Duration.ofSeconds(1));
        engine = engine(named("cloud", slow));
        engine.start();
        advance(Duration.ofSeconds(5));
        add("default/a", "c1");
        advance(Duration.ofSeconds(5));
        swap("bare", bare);
        advance(Duration.ofSeconds(5));
        assertThat(slow.contents()).hasSize(1);
        slow.listsAfter(Duration.ofSeconds(10));

        CompletableFuture<Void> back = engine.switchFactory(named("cloud", slow));
        time.settle();
        del("c1");
        advance(Duration.ofSeconds(20));

        assertThat(back).isCompleted();
        assertThat(drained).doesNotContain("cloud");
        assertThat(engine.factories().get(0).name()).isEqualTo("cloud");
    }

    @Test
    void anAddressThatGoesBackWhileItsFactoryIsListedIsNotTakenUpAgain() {
        MemoryFactory slow = slow("eni-cloud", 0, Duration.ofSeconds(2));
        engine = engine(named("cloud", slow));
        engine.start();
        advance(Duration.ofSeconds(10));
        add("default/a", "c1");
        advance(Duration.ofSeconds(10));
        slow.listsStaleAfter(Duration.ofSeconds(5));
        swap("bare", bare);

        engine.switchFactory(named("cloud", slow));
        advance(Duration.ofSeconds(20));

        assertThat(engine.factories().get(0).name()).isEqualTo("cloud");
        assertThat(engine.pool().entries().stream()
                        .map(PoolView.Entry::resource)
                        .filter(resource -> resource.factory().equals("cloud")))
                .isSubsetOf(slow.contents());
    }

    @Test
    void whatAFactoryMakesWhileItIsListedAfterARestartIsNotLost() {
        start();
        add("default/a", "c1");
        swap("bare", bare);
        cloud.listsStaleAfter(Duration.ofSeconds(20));
        restart(new FactorySet(named("bare", bare), List.of(named("cloud", cloud)), drained::add));
        cloud.listsAtOnce();
        swap("cloud", cloud);
        Lease lease = add("default/b", "c2");
        assertThat(lease.resource().factory()).isEqualTo("cloud");

        advance(Duration.ofMinutes(1));

        assertThat(engine.pool().summary().count(ResourceState.INVALID)).isZero();
        assertThat(events.types()).doesNotContain("AddressLost");
        assertThat(engine.factories()).extracting(FactoryView::name).containsExactly("cloud");
    }

    @Test
    void aPauseBeyondAllReasonIsCutShort() {
        start();
        AtomicBoolean hostile = new AtomicBoolean(true);
        MemoryFactory forever = new MemoryFactory(
                "rack",
                1,
                time,
                10,
                () -> Duration.ZERO,
                () -> hostile.get() && time.now().isAfter(java.time.Instant.parse("2026-01-01T00:00:01Z"))
                        ? Optional.of(new Failed(ErrorKind.THROTTLED, "never", Duration.ofSeconds(Long.MAX_VALUE)))
                        : Optional.empty());
        swap("bare", forever);
        advance(Duration.ofSeconds(2));
        swap("cloud", cloud);
        hostile.set(false);

        advance(Duration.ofMinutes(15));

        assertThat(forever.contents()).isEmpty();
        assertThat(drained).containsExactly("cloud", "bare");
    }

    private MemoryFactory slow(String eni, int network, Duration latency) {
        return new MemoryFactory(eni, network, time, 10, () -> latency, Optional::empty);
    }

    private static NamedFactory named(String name, ResourceFactory factory, String provider) {
        return new NamedFactory(name, factory, provider);
    }

    /** Delivers the same foreign address again and again. */
    private static final class Parrot implements ResourceFactory {
        private final Resource resource;
        private final List<Resource> disposed = new ArrayList<>();

        Parrot(Resource resource) {
            this.resource = resource;
        }

        @Override
        public ResourceKind kind() {
            return ResourceKind.ENI_IP;
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(Set.of(Family.IPV4), 9, 1, false);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            return requests.stream()
                    .map(request -> CompletableFuture.<CreateResult>completedStage(new Created(resource)))
                    .toList();
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            disposed.addAll(resources);
            return resources.stream()
                    .map(one -> CompletableFuture.<DisposeResult>completedStage(new Disposed(one.id())))
                    .toList();
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return CompletableFuture.completedStage(List.of());
        }
    }

    /** Gives its resources the ids that any factory of this kind gives: a number. */
    private record Numbered(MemoryFactory made) implements ResourceFactory {
        private static Resource numbered(Resource resource) {
            String host = resource.addresses().get(0).host();
            ResourceId id = new ResourceId("number/" + host.substring(host.lastIndexOf('.') + 1));
            return new Resource(id, resource.kind(), resource.addresses(), resource.parent(), resource.attributes());
        }

        private static Resource own(Resource resource) {
            ResourceId id = new ResourceId(
                    resource.parent() + "/" + resource.addresses().get(0).host());
            return new Resource(id, resource.kind(), resource.addresses(), resource.parent(), resource.attributes());
        }

        @Override
        public ResourceKind kind() {
            return made.kind();
        }

        @Override
        public Capabilities capabilities() {
            return made.capabilities();
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            return made.create(requests).stream()
                    .map(stage -> stage.thenApply(result ->
                            result instanceof Created created ? new Created(numbered(created.resource())) : result))
                    .toList();
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            List<CompletionStage<DisposeResult>> stages =
                    made.dispose(resources.stream().map(Numbered::own).toList());
            return IntStream.range(0, stages.size())
                    .<CompletionStage<DisposeResult>>mapToObj(i -> stages.get(i)
                            .thenApply(result -> result instanceof Disposed
                                    ? new Disposed(resources.get(i).id())
                                    : result))
                    .toList();
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return made.list()
                    .thenApply(all -> all.stream().map(Numbered::numbered).toList());
        }
    }

    @Test
    void twoFactoriesMayGiveTheSameIds() {
        engine = engine(named("cloud", new Numbered(cloud)));
        start();
        Lease before = add("default/a", "c1");
        swap("bare", new Numbered(bare));
        Lease after = add("default/b", "c2");
        assertThat(after.resource().id()).isEqualTo(before.resource().id());
        assertThat(after.addresses()).isNotEqualTo(before.addresses());
        assertThat(engine.factories())
                .containsExactly(
                        new FactoryView("bare", Role.ACTIVE, 3, 1), new FactoryView("cloud", Role.LEAVING, 1, 1));

        CompletableFuture<ReconcileReport> compared = engine.reconcile();
        advance(Duration.ofSeconds(30));
        assertThat(compared.join().findings()).isEmpty();
        del("c1");

        assertThat(cloud.contents()).isEmpty();
        assertThat(drained).containsExactly("cloud");
        assertThat(engine.lease(owner("c2"))).contains(after);
        assertThat(bare.contents()).hasSize(3);
        assertThat(events.types()).doesNotContain("ResourceClash", "AddressLost");
    }

    /** One entry for both was what an operator saw: the second factory's trouble under the first one's address. */
    @Test
    void twoFactoriesDisposalsOfOneIdFailEachForItself() {
        AtomicReference<Optional<Failed>> first = new AtomicReference<>(Optional.empty());
        AtomicReference<Optional<Failed>> second = new AtomicReference<>(Optional.empty());
        engine = engine(named(
                "cloud", new Numbered(new MemoryFactory("eni-cloud", 0, time, 10, () -> Duration.ZERO, first::get))));
        start();
        Lease one = add("default/a", "c1");
        swap("bare", new Numbered(new MemoryFactory("rack", 1, time, 10, () -> Duration.ZERO, second::get)));
        Lease other = add("default/b", "c2");
        swap("spare", new Numbered(factory("spare", 2, 10)));
        assertThat(other.resource().id()).isEqualTo(one.resource().id());

        first.set(Optional.of(Failed.of(ErrorKind.UNAUTHORIZED, "the key was withdrawn")));
        second.set(Optional.of(Failed.of(ErrorKind.UNAVAILABLE, "the rack has no power")));
        del("c1");
        del("c2");

        Map<ResourceKey, RetryState> failing = engine.pendingWork().disposals();
        assertThat(failing.get(ResourceKey.of(one.resource())).message()).isEqualTo("the key was withdrawn");
        assertThat(failing.get(ResourceKey.of(other.resource())).message()).isEqualTo("the rack has no power");
    }

    @Test
    void twoFactoriesWithTheSameIdsGoOnAfterARestart() {
        engine = engine(named("cloud", new Numbered(cloud)));
        start();
        Lease before = add("default/a", "c1");
        swap("bare", new Numbered(bare));
        Lease after = add("default/b", "c2");

        restart(new FactorySet(
                named("bare", new Numbered(bare)), List.of(named("cloud", new Numbered(cloud))), drained::add));

        assertThat(engine.lease(owner("c1")).orElseThrow().addresses()).isEqualTo(before.addresses());
        assertThat(engine.lease(owner("c2")).orElseThrow().addresses()).isEqualTo(after.addresses());
        assertThat(engine.factories())
                .containsExactly(
                        new FactoryView("bare", Role.ACTIVE, 3, 1), new FactoryView("cloud", Role.LEAVING, 1, 1));
        del("c1");
        assertThat(drained).containsExactly("cloud");
        assertThat(engine.lease(owner("c2"))).isPresent();
    }

    @Test
    void aHoldOutlivesTheLossOfAnotherFactorysResourceOfTheSameId() {
        Duration coolDown = Duration.ofMinutes(30);
        engine = engine(2, coolDown, new FactorySet(named("cloud", new Numbered(cloud)), List.of(), drained::add));
        start();
        Lease lost = add("default/a", "c1");
        add("default/z", "c9"); // the list of a factory that has lost all is not believed
        swap("bare", new Numbered(bare));
        Resource held = add("default/b", "c2").resource();
        del("c2");
        assertThat(held.id()).isEqualTo(lost.resource().id());
        advance(Duration.ofMinutes(5));

        time.crash();
        db.crash();
        cloud.contents().stream()
                .filter(made -> made.addresses().equals(lost.resource().addresses()))
                .forEach(made -> cloud.lose(made.id()));
        engine = engine(
                2,
                coolDown,
                new FactorySet(
                        named("bare", new Numbered(bare)), List.of(named("cloud", new Numbered(cloud))), drained::add));
        start();
        advance(Duration.ofMinutes(1));

        assertThat(events.types()).contains("AddressLost");
        assertThat(db.contents().holds()).extracting(Hold::resource).containsExactly(held);
    }

    /** Both are held at the moment of the crash, and each hold ends by itself, with its row. */
    @Test
    void twoFactoriesHoldsOfOneIdOutliveACrash() {
        Duration coolDown = Duration.ofMinutes(30);
        engine = engine(2, coolDown, new FactorySet(named("cloud", new Numbered(cloud)), List.of(), drained::add));
        start();
        pods.put("default/db-0", "uid-1", false, Duration.ofMinutes(40));
        Resource kept = addKnown("default/db-0", "c1").resource();
        swap("bare", new Numbered(bare));
        Resource cooling = add("default/b", "c2").resource();
        del("c1");
        del("c2");
        assertThat(cooling.id()).isEqualTo(kept.id());

        restartLeaving(coolDown);

        assertThat(states(kept.id())).containsExactly("bare COOLING", "cloud RESERVED");
        assertThat(addKnown("default/db-0", "c3").resource().factory()).isEqualTo("cloud");
        assertThat(db.records())
                .extracting(ResourceDb.RawRecord::key)
                .contains("bare/" + kept.id())
                .doesNotContain("cloud/" + kept.id());
        advance(Duration.ofMinutes(31));
        assertThat(db.contents().holds()).isEmpty();
        assertThat(events.types()).doesNotContain("HeldTwice");
    }

    /** Of two resources of one id only the one whose disposal had begun goes. */
    @Test
    void aDisposalThatWasBegunIsFinishedForTheFactoryThatItNames() {
        engine = engine(named("cloud", new Numbered(cloud)));
        start();
        Resource stays = add("default/a", "c1").resource();
        swap("bare", new Numbered(bare));
        Resource goes = add("default/b", "c2").resource();
        del("c2");
        assertThat(goes.id()).isEqualTo(stays.id());
        db.commit(List.of(new Change.PutIntent(Intent.dispose(ResourceKey.of(goes), time.now()))));
        time.settle();
        int before = cloud.contents().size();

        restartLeaving(Duration.ZERO);

        assertThat(bare.contents()).noneMatch(made -> made.addresses().equals(goes.addresses()));
        assertThat(cloud.contents()).hasSize(before);
        assertThat(engine.lease(owner("c1"))).isPresent();
        assertThat(db.contents().intents()).isEmpty();
    }

    /** The row has the former's name, in front of the same id. */
    @Test
    void aHoldOfAFactoryThatWasMergedIntoAnotherEndsWithItsRow() {
        Duration coolDown = Duration.ofMinutes(10);
        engine = engine(2, coolDown, new FactorySet(named("cloud", cloud, "eni"), List.of(), drained::add));
        start();
        pods.put("default/db-0", "uid-1", false, Duration.ofMinutes(40));
        addKnown("default/db-0", "c1");
        add("default/b", "c2");
        Lease third = add("default/c", "c3");
        del("c1");
        del("c2");
        CompletableFuture<Void> swap = engine.switchFactory(named("wrapper", cloud, "eni"));
        time.settle();
        assertThat(swap).isCompleted();
        assertThat(db.contents().holds()).hasSize(2);
        del("c3"); // whose lease names the former, too
        assertThat(db.records())
                .extracting(ResourceDb.RawRecord::key)
                .contains("cloud/" + third.resource().id());

        addKnown("default/db-0", "c4");
        assertThat(db.contents().holds()).as("the pod has its address again").hasSize(2);
        time.crash();
        db.crash();
        engine = engine(2, coolDown, new FactorySet(named("wrapper", cloud, "eni"), List.of(), drained::add));
        start();
        assertThat(states(third.resource().id())).containsExactly("wrapper COOLING");
        advance(Duration.ofMinutes(11));

        assertThat(db.contents().holds()).isEmpty();
        assertThat(events.types()).doesNotContain("HeldTwice");
    }

    private void restartLeaving(Duration coolDown) {
        time.crash();
        db.crash();
        engine = engine(
                2,
                coolDown,
                new FactorySet(
                        named("bare", new Numbered(bare)), List.of(named("cloud", new Numbered(cloud))), drained::add));
        start();
    }

    private List<String> states(ResourceId id) {
        return engine.pool().entries().stream()
                .filter(entry -> entry.resource().id().equals(id))
                .map(entry -> entry.resource().factory() + " " + entry.state())
                .sorted()
                .toList();
    }

    private MemoryFactory factory(String eni, int network, int capacity) {
        return new MemoryFactory(eni, network, time, capacity, () -> Duration.ZERO, Optional::empty);
    }

    private static NamedFactory named(String name, ResourceFactory factory) {
        return new NamedFactory(name, factory);
    }

    private NodeIpam engine(NamedFactory active) {
        return engine(new FactorySet(active, List.of(), drained::add));
    }

    private NodeIpam engine(FactorySet supplies) {
        return engine(2, supplies);
    }

    private NodeIpam engine(int minIdle, FactorySet supplies) {
        return engine(minIdle, Duration.ZERO, supplies);
    }

    private NodeIpam engine(int minIdle, Duration coolDown, FactorySet supplies) {
        return new NodeIpam(
                EngineFixture.config(minIdle, 3, coolDown),
                new EnginePorts(
                        new EngineContext(time, time, random, db, events),
                        pods,
                        new MemoryDatapath(),
                        supplies,
                        new DirectPolicy(new WatermarkPolicy(), events)));
    }

    private void start() {
        CompletableFuture<Void> started = engine.start();
        time.settle();
        started.join();
        time.settle();
    }

    private void restart(FactorySet supplies) {
        time.crash();
        db.crash();
        engine = engine(supplies);
        start();
    }

    private void swap(String name, ResourceFactory factory) {
        CompletableFuture<Void> swap = engine.switchFactory(named(name, factory));
        time.settle();
        assertThat(swap).isCompleted();
        time.settle();
    }

    private static OwnerKey owner(String container) {
        return new OwnerKey("enipam", container, "eth0");
    }

    private CompletableFuture<AddOutcome> adding(String pod, String container) {
        CompletableFuture<AddOutcome> add =
                engine.add(new AddCommand(owner(container), PodRef.parse(pod), Duration.ofSeconds(10)));
        time.settle();
        return add;
    }

    private Lease add(String pod, String container) {
        pods.put(pod);
        return addKnown(pod, container);
    }

    private Lease addKnown(String pod, String container) {
        CompletableFuture<AddOutcome> add = adding(pod, container);
        assertThat(add).isCompleted();
        return add.join().lease();
    }

    private void del(String container) {
        CompletableFuture<?> del = engine.del(owner(container));
        time.settle();
        del.join();
        time.settle();
    }

    private void advance(Duration duration) {
        time.advance(duration);
        time.settle();
    }

    private CreateRequest request(int number) {
        return new CreateRequest(
                new RequestToken("t" + number), Set.of(Family.IPV4), time.now().plusSeconds(10));
    }

    private IpamException refusal(CompletableFuture<?> failed) {
        time.settle();
        try {
            failed.join();
        } catch (RuntimeException e) {
            return (IpamException) Stages.cause(e);
        }
        throw new AssertionError("it did not fail");
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler;
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
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A restart with another factory on the same few ENIs, and other ways in which the cloud makes room or lends an address anew. */
class FactoryModeRestartTest {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final EngineFixture node = new EngineFixture(10, EngineFixture.config(0, 3, Duration.ZERO));
    private final Enis former = new Enis("former", node.time);
    private final Enis next = new Enis("next", node.time);

    private void startWithTheFormerMode() {
        node.active = new NamedFactory("former", former);
        node.crash();
        node.start();
    }

    private void startWithTheNextMode() {
        node.leaving.add(new NamedFactory("former", former));
        node.active = new NamedFactory("next", next);
        node.crash();
        node.start();
    }

    private CompletableFuture<AddOutcome> waiting(String pod) {
        node.pods.put("default/" + pod);
        return node.adding("default/" + pod, "c-" + pod, PATIENCE);
    }

    /** Lets time pass until a create has just failed: the pause until the next is half a minute at least, by then. */
    private void aPauseBegins() {
        int creates = next.creates;
        while (next.creates == creates) {
            node.time.advance(Duration.ofSeconds(1));
        }
    }

    private List<String> addresses(ResourceState state) {
        return node.engine.pool().entries().stream()
                .filter(entry -> entry.state() == state)
                .map(entry -> entry.resource().addresses().get(0).host())
                .toList();
    }

    @Test
    void anAddThatWaitsForWantOfCapacityIsServedWhenTheCloudAllowsMore() {
        next.capacity = 0;
        startWithTheNextMode();
        CompletableFuture<AddOutcome> add = waiting("a");
        node.time.advance(Duration.ofSeconds(40));
        assertThat(add).isNotDone();

        next.capacityByTheNextList = Optional.of(2);
        node.time.advance(Duration.ofSeconds(35));

        assertThat(add).isCompleted();
        assertThat(node.engine.pool().summary().capacity()).isEqualTo(2);
    }

    @Test
    void comparisonsForWantOfCapacityHavePausesAndEndWithTheWant() {
        next.capacity = 1;
        startWithTheNextMode();
        node.add("default/a", "c-a");
        int before = next.lists;
        node.time.advance(Duration.ofMinutes(1));
        assertThat(next.lists - before)
                .as("a full pool for which no caller waits")
                .isZero();

        CompletableFuture<AddOutcome> add = waiting("b");
        node.time.advance(Duration.ofMinutes(5));
        assertThat(next.lists - before).isBetween(8, 18);

        node.del("c-a");
        assertThat(add).isCompleted();
        int then = next.lists;
        node.time.advance(Duration.ofMinutes(10));
        assertThat(next.lists - then)
                .as("the regular ones, and one that was planned")
                .isBetween(4, 7);
    }

    @Test
    void aCreateThatFailedForWantOfAnEniIsTriedAgainAsSoonAsOneHasGone() {
        startWithTheFormerMode();
        node.add("default/old", "c-old");
        next.refusal = () -> former.cloud.isEmpty()
                ? Optional.empty()
                : Optional.of(Failed.of(ErrorKind.QUOTA_EXHAUSTED, "all ENIs are in use, by another factory"));
        startWithTheNextMode();
        CompletableFuture<AddOutcome> add = waiting("new");
        node.time.advance(Duration.ofMinutes(5));
        assertThat(add).as("the pod of the former mode still runs").isNotDone();

        node.del("c-old");
        node.time.advance(Duration.ofMillis(50));

        assertThat(add).isCompleted();
    }

    @Test
    void otherFailuresKeepTheirPauseWhenSomethingWent() {
        startWithTheFormerMode();
        node.add("default/old", "c-old");
        next.refusal = () -> Optional.of(Failed.of(ErrorKind.UNAVAILABLE, "the cloud is away"));
        startWithTheNextMode();
        CompletableFuture<AddOutcome> add = waiting("new");
        node.time.advance(Duration.ofMinutes(5));
        aPauseBegins();
        int creates = next.creates;

        node.del("c-old");
        node.time.advance(Duration.ofSeconds(1));

        assertThat(next.creates).isEqualTo(creates);
        assertThat(add).isNotDone();
    }

    @Test
    void anAddressThatTheCloudLendsAgainJoinsThePoolWhenItsFormerEniIsGone() {
        startWithTheFormerMode();
        Lease old = node.add("default/old", "c-old");
        startWithTheNextMode();
        former.disposalTakes = Duration.ofSeconds(20);
        node.del("c-old");
        assertThat(addresses(ResourceState.DISPOSING)).containsExactly(EngineFixture.host(old));
        next.addresses.add(EngineFixture.host(old));

        CompletableFuture<AddOutcome> add = waiting("new");
        node.time.advance(Duration.ofMillis(50));
        assertThat(add).as("another address is made at once").isCompleted();
        assertThat(EngineFixture.host(add.join().lease())).isNotEqualTo(EngineFixture.host(old));
        node.time.advance(Duration.ofSeconds(20));

        assertThat(addresses(ResourceState.IDLE)).containsExactly(EngineFixture.host(old));
        assertThat(next.cloud).hasSize(2);
        assertThat(node.drained).containsExactly("former");
        assertThat(node.events.types()).doesNotContain("ResourceCreateFailed");
    }

    @Test
    void aFactoryThatLeavesIsNotDoneWithBeforeItsAddressThatWaitsForAnotherHasGoneBack() {
        startWithTheFormerMode();
        Lease old = node.add("default/old", "c-old");
        startWithTheNextMode();
        former.disposalTakes = Duration.ofSeconds(20);
        node.del("c-old");
        next.addresses.add(EngineFixture.host(old));
        CompletableFuture<AddOutcome> add = waiting("new");
        node.time.advance(Duration.ofMillis(50));
        assertThat(add).isCompleted();
        node.del("c-new");
        Enis last = new Enis("last", node.time);

        node.swap("last", last).join();
        node.time.advance(Duration.ofMinutes(1));

        assertThat(next.cloud).isEmpty();
        assertThat(node.drained).containsExactly("former", "next");
    }

    @Test
    void anAddressFoundInTwoPlacesIsTakenUpWhenThePodInTheFormerOneHasGone() {
        startWithTheFormerMode();
        Lease old = node.add("default/old", "c-old");
        next.put(EngineFixture.host(old));
        startWithTheNextMode();
        assertThat(node.events.types()).contains("ResourceClash");

        node.del("c-old");
        node.time.advance(Duration.ofSeconds(2));

        assertThat(addresses(ResourceState.IDLE)).containsExactly(EngineFixture.host(old));
        assertThat(node.makers(ResourceState.IDLE)).containsExactly("next");
    }

    /** ENIs that are lent as a whole, made at once. */
    private static final class Enis implements ResourceFactory {
        private final String name;
        private final Scheduler scheduler;
        private final Map<ResourceId, Resource> cloud = new LinkedHashMap<>();
        /** What the next ones get. */
        private final Deque<String> addresses = new ArrayDeque<>();

        private Supplier<Optional<Failed>> refusal = Optional::empty;
        private Duration disposalTakes = Duration.ZERO;
        private Optional<Integer> capacityByTheNextList = Optional.empty();
        private int capacity = 10;
        private int creates;
        private int lists;
        private int made;

        Enis(String name, Scheduler scheduler) {
            this.name = name;
            this.scheduler = scheduler;
        }

        private Resource put(String host) {
            Resource resource = new Resource(
                    new ResourceId("eni-" + name + "-" + ++made),
                    kind(),
                    List.of(Address.parse(host + "/16")),
                    "",
                    Map.of());
            cloud.put(resource.id(), resource);
            return resource;
        }

        @Override
        public ResourceKind kind() {
            return new ResourceKind(name);
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(Set.of(Family.IPV4), capacity, 1, false);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            creates += requests.size();
            return each(
                    requests,
                    Duration.ZERO,
                    request -> refusal.get()
                            .<CreateResult>map(failed -> failed)
                            .orElseGet(() -> new Created(put(
                                    addresses.isEmpty()
                                            ? "10." + name.length() + ".0." + (made + 1)
                                            : addresses.remove()))));
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            return each(resources, disposalTakes, resource -> {
                cloud.remove(resource.id());
                return new Disposed(resource.id());
            });
        }

        private <I, O> List<CompletionStage<O>> each(List<I> items, Duration after, Function<I, O> work) {
            List<CompletionStage<O>> stages = new ArrayList<>();
            for (I item : items) {
                CompletableFuture<O> stage = new CompletableFuture<>();
                scheduler.after(after, () -> stage.complete(work.apply(item)));
                stages.add(stage);
            }
            return stages;
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            lists++;
            capacityByTheNextList.ifPresent(most -> capacity = most);
            return CompletableFuture.completedStage(List.copyOf(cloud.values()));
        }
    }
}

package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Lease;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A factory nobody should trust, and an engine that does not. */
class InvalidFactoryResultTest {
    private final Odd odd = new Odd();
    private final EngineFixture node = new EngineFixture(10, EngineFixture.config(1, 1, Duration.ZERO));

    @Test
    void aCreateThatThrowsIsAFailureAndIsTriedAgain() {
        odd.create = requests -> {
            throw new IllegalStateException("surprise");
        };
        start();
        assertFailedAndRecovers();
    }

    @Test
    void aCreateThatAnswersNullIsAFailureAndIsTriedAgain() {
        odd.create = requests -> null;
        start();
        assertFailedAndRecovers();
    }

    @Test
    void tooFewStagesAreFailuresOfThoseThatLack() {
        odd.create = requests -> List.of();
        start();
        assertFailedAndRecovers();
    }

    @Test
    void aNullStageIsAFailure() {
        odd.create = requests -> Arrays.asList(new CompletionStage[] {null});
        start();
        assertFailedAndRecovers();
    }

    @Test
    void aResourceThatIsNullIsAFailure() {
        odd.answer(new Created(null));
        start();
        assertFailedAndRecovers();
    }

    @Test
    void aFailureWithoutKindOrReasonIsStillOne() {
        odd.answer(new Failed(null, null, Duration.ofDays(40_000)));
        start();

        assertThat(node.events.types()).contains("ResourceCreateFailed");
        assertThat(node.engine.pool().summary().count(ResourceState.CREATING)).isZero();
        odd.sane();
        node.time.advance(Duration.ofMinutes(30));
        assertThat(node.count(ResourceState.IDLE))
                .as("nobody may ask for silence for a century")
                .isEqualTo(1);
    }

    @Test
    void aResourceOfAnotherKindIsNotTakenAndGoesBack() {
        odd.answer(new Created(resource("odd/1", "10.5.0.1", new ResourceKind("veth"))));
        start();
        assertThat(odd.disposed).containsExactly(new ResourceId("odd/1"));
        assertFailedAndRecovers();
    }

    @Test
    void aResourceOfOtherFamiliesIsNotTakenAndGoesBack() {
        odd.answer(new Created(resource("odd/1", "2001:db8::1", ResourceKind.ENI_IP)));
        start();
        assertThat(odd.disposed).containsExactly(new ResourceId("odd/1"));
        assertFailedAndRecovers();
    }

    @Test
    void aResourceThatIsInThePoolAlreadyIsAFailureAndIsNeverDisposedOf() {
        start();
        Lease lease = node.add("default/a", "c-a");
        odd.answer(new Created(lease.resource()));
        node.add("default/b", "c-b");
        node.time.advance(Duration.ofSeconds(5));

        assertThat(node.events.all())
                .anyMatch(event -> event.type().equals("ResourceClash")
                        && event.subject().equals(lease.resource().id().value()));
        assertThat(node.events.types()).contains("ResourceCreateFailed");
        assertThat(odd.disposed).isEmpty();
        assertThat(node.entry(lease).state()).isEqualTo(ResourceState.IN_USE);
    }

    @Test
    void anAddressThatAnotherResourceHasIsNotLentTwice() {
        start();
        Lease lease = node.add("default/a", "c-a");
        odd.answer(new Created(resource("odd/other-name", EngineFixture.host(lease), ResourceKind.ENI_IP)));
        node.time.advance(Duration.ofSeconds(5));
        node.add("default/b", "c-b");
        node.time.advance(Duration.ofSeconds(5));

        assertThat(node.events.types()).contains("ResourceClash");
        assertThat(node.engine.pool().entries().stream()
                        .map(entry -> entry.resource().addresses().get(0).host()))
                .doesNotHaveDuplicates();
    }

    @Test
    void aDisposalThatAnswersAboutAnotherResourceIsTriedAgain() {
        start();
        node.add("default/a", "c-a");
        odd.dispose = resource -> new Disposed(new ResourceId("somebody/else"));
        node.del("c-a");
        assertThat(node.count(ResourceState.DISPOSING)).isEqualTo(1);
        assertThat(node.events.types()).contains("FactoryRejected", "ResourceDisposeFailed");

        odd.dispose = resource -> new Disposed(resource.id());
        node.time.advance(Duration.ofSeconds(5));
        assertThat(node.count(ResourceState.DISPOSING)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0/0", "127.0.0.1/8", "224.0.0.1/24", "10.5.1.0/24", "10.5.1.255/24"})
    void anAddressThatNoPodCanHaveIsNotLentAndGoesBack(String address) {
        odd.answer(new Created(resource("odd/bad", address, ResourceKind.ENI_IP)));
        start();

        assertThat(odd.disposed).containsExactly(new ResourceId("odd/bad"));
        assertThat(node.events.all())
                .filteredOn(event -> event.type().equals("ResourceCreateFailed"))
                .first()
                .satisfies(event -> assertThat(event.message()).contains(address, "which no pod can have"));
        assertFailedAndRecovers();
    }

    @Test
    void aListedAddressThatNoPodCanHaveIsLeftAlone() {
        odd.listed = List.of(resource("odd/bad", "127.0.0.1/8", ResourceKind.ENI_IP));
        start();

        assertThat(node.engine.pool().entries())
                .noneMatch(entry -> entry.resource().id().value().equals("odd/bad"));
        assertThat(node.events.types()).contains("FactoryRejected");
    }

    @Test
    void aListWithNonsenseIsTakenForWhatMakesSenseAndLosesNothing() {
        start();
        Lease lease = node.add("default/a", "c-a");
        Resource good = resource("odd/9", "10.5.0.9", ResourceKind.ENI_IP);
        odd.listed = Arrays.asList(null, good, good, resource("odd/8", "10.5.0.8", new ResourceKind("veth")));

        node.crashAndStart();

        assertThat(node.entry(lease).state())
                .as("such a list proves nothing lost")
                .isEqualTo(ResourceState.IN_USE);
        assertThat(node.engine.pool().entries())
                .anyMatch(entry -> entry.resource().equals(good));
        assertThat(node.events.types()).contains("FactoryRejected");
    }

    @Test
    void aListThatNamesWhatAnotherFactoryOwnsTakesNothingOver() {
        node.start();
        Lease lease = node.add("default/a", "c-a");
        odd.listed = List.of(lease.resource());

        node.swap("odd", odd).join();

        assertThat(node.events.types()).contains("ResourceClash");
        assertThat(node.entry(lease).resource().factory()).isEqualTo("cloud");
        node.del("c-a");
        node.time.settle();
        assertThat(node.cloud.contents()).isEmpty();
        assertThat(odd.disposed).doesNotContain(lease.resource().id());
    }

    @Test
    void aFactoryThatDoesNotSayWhatItIsIsAskedUntilItDoes() {
        odd.kind = null;
        odd.capabilities = null;
        node.active = new NamedFactory("odd", odd);
        node.crash();
        CompletableFuture<Void> started = node.engine.start();
        node.time.advance(Duration.ofSeconds(2));
        assertThat(started).isNotDone();

        odd.kind = ResourceKind.ENI_IP;
        node.time.advance(Duration.ofMinutes(1));
        assertThat(started).isNotDone();
        odd.capabilities = new Capabilities(Set.of(Family.IPV4), 10, 1, false);
        node.time.advance(Duration.ofMinutes(1));

        assertThat(started).isCompleted();
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(1);
    }

    private void start() {
        node.active = new NamedFactory("odd", odd);
        node.crash();
        node.start();
    }

    private void assertFailedAndRecovers() {
        assertThat(node.events.types()).contains("FactoryRejected", "ResourceCreateFailed");
        assertThat(node.engine.pool().entries()).isEmpty();
        assertThat(node.engine.pool().summary().count(ResourceState.CREATING)).isZero();
        assertThat(node.db.contents().intents()).isEmpty();

        odd.sane();
        node.time.advance(Duration.ofMinutes(2));
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(1);
    }

    private static Resource resource(String id, String host, ResourceKind kind) {
        return new Resource(new ResourceId(id), kind, List.of(Address.parse(host)), "odd", Map.of());
    }

    private static final class Odd implements ResourceFactory {
        private final List<ResourceId> disposed = new ArrayList<>();
        private @Nullable ResourceKind kind = ResourceKind.ENI_IP;
        private @Nullable Capabilities capabilities = new Capabilities(Set.of(Family.IPV4), 10, 1, false);
        private List<Resource> listed = List.of();
        private int made;
        private Function<List<CreateRequest>, List<CompletionStage<CreateResult>>> create = this::make;
        private Function<Resource, DisposeResult> dispose = resource -> new Disposed(resource.id());

        private void sane() {
            create = this::make;
        }

        /** The next create is answered with this, those after it as they should be. */
        private void answer(CreateResult result) {
            create = requests -> {
                sane();
                List<CompletionStage<CreateResult>> stages = new ArrayList<>(make(requests));
                stages.set(0, CompletableFuture.completedFuture(result));
                return stages;
            };
        }

        private List<CompletionStage<CreateResult>> make(List<CreateRequest> requests) {
            return requests.stream()
                    .<CompletionStage<CreateResult>>map(request -> CompletableFuture.completedFuture(
                            new Created(resource("odd/made-" + ++made, "10.5.1." + made, ResourceKind.ENI_IP))))
                    .toList();
        }

        @Override
        public @Nullable ResourceKind kind() {
            return kind;
        }

        @Override
        public @Nullable Capabilities capabilities() {
            return capabilities;
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            return create.apply(requests);
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            resources.forEach(resource -> disposed.add(resource.id()));
            return resources.stream()
                    .<CompletionStage<DisposeResult>>map(
                            resource -> CompletableFuture.completedFuture(dispose.apply(resource)))
                    .toList();
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return CompletableFuture.completedFuture(listed);
        }
    }
}

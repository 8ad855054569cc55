package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Pods get the families that the configuration says, over a change of it, too. */
class AddressFamiliesTest {
    private static final Set<Family> BOTH = Set.of(Family.IPV4, Family.IPV6);

    /** Makes what it is asked for, and keeps it over restarts of the engine. */
    private static final class Pairs implements ResourceFactory {
        private final Map<ResourceId, Resource> there = new LinkedHashMap<>();
        private int made;

        @Override
        public ResourceKind kind() {
            return ResourceKind.ENI_IP;
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(BOTH, 20, 10, false);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            return requests.stream()
                    .<CompletionStage<CreateResult>>map(
                            request -> CompletableFuture.completedFuture(new Created(make(request.families()))))
                    .toList();
        }

        private Resource make(Set<Family> families) {
            made++;
            List<Address> addresses = new ArrayList<>(List.of(Address.parse("10.0.0." + made + "/24")));
            if (families.contains(Family.IPV6)) {
                addresses.add(Address.parse("2001:db8::" + Integer.toHexString(made) + "/64"));
            }
            Resource resource =
                    new Resource(new ResourceId("eni-1/10.0.0." + made), kind(), addresses, "eni-1", Map.of());
            there.put(resource.id(), resource);
            return resource;
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            return resources.stream()
                    .<CompletionStage<DisposeResult>>map(resource -> {
                        there.remove(resource.id());
                        return CompletableFuture.completedFuture(new Disposed(resource.id()));
                    })
                    .toList();
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return CompletableFuture.completedFuture(List.copyOf(there.values()));
        }
    }

    private final Pairs pairs = new Pairs();

    private EngineFixture node() {
        EngineFixture node = new EngineFixture(EngineFixture.config(0, 3, Duration.ZERO), time -> unused(time));
        node.active = new NamedFactory("pairs", pairs);
        return node;
    }

    private static MemoryFactory unused(VirtualTime time) {
        return MemoryFactory.instant(time, 1);
    }

    private static EngineConfig with(Set<Family> families) {
        EngineConfig usual = EngineFixture.config(0, 3, Duration.ZERO);
        return new EngineConfig(
                new Watermarks(
                        usual.watermarks().minIdle(),
                        usual.watermarks().maxIdle(),
                        usual.watermarks().capacity()),
                families,
                usual.coolDown(),
                usual.createTimeout(),
                new EngineConfig.Intervals(
                        usual.intervals().gc(),
                        usual.intervals().poolCheck(),
                        usual.intervals().reconcile()));
    }

    private static List<Family> families(Resource resource) {
        return resource.addresses().stream().map(Address::family).toList();
    }

    @Test
    void aLeaseHasAnAddressOfEachFamilyAndItsEventsNameBoth() {
        EngineFixture node = node();
        node.config = with(BOTH);
        node.crash();
        node.start();

        Lease lease = node.add("default/a", "c-a");

        assertThat(families(lease.resource())).containsExactly(Family.IPV4, Family.IPV6);
        assertThat(node.events.all())
                .filteredOn(event -> event.type().equals("LeaseGranted"))
                .singleElement()
                .asString()
                .contains("10.0.0.1 and 2001:db8::1");
    }

    @Test
    void anAddressOfTheTimeBeforeStaysItsPodsAndIsNobodyElsesAfterIt() {
        EngineFixture node = node();
        node.crash();
        node.start();
        Lease before = node.add("default/a", "c-a");
        assertThat(families(before.resource())).containsExactly(Family.IPV4);

        node.config = with(BOTH);
        node.crashAndStart();
        assertThat(node.engine.pool().entries())
                .filteredOn(entry -> entry.state() == ResourceState.IN_USE)
                .extracting(PoolView.Entry::resource)
                .containsExactly(before.resource());

        node.del("c-a");
        node.time.settle();
        Lease after = node.add("default/b", "c-b");
        assertThat(families(after.resource())).containsExactly(Family.IPV4, Family.IPV6);
        assertThat(pairs.there.values())
                .allMatch(resource -> resource.addresses().size() == 2);
    }

    @Test
    void anIdleAddressOfTheTimeBeforeGoesBack() {
        EngineFixture node = node();
        node.crash();
        node.start();
        node.add("default/a", "c-a");
        node.del("c-a");
        assertThat(node.count(ResourceState.IDLE)).isEqualTo(1);

        node.config = with(BOTH);
        node.crashAndStart();
        node.time.settle();

        assertThat(pairs.there).isEmpty();
        assertThat(families(node.add("default/b", "c-b").resource())).hasSize(2);
    }
}

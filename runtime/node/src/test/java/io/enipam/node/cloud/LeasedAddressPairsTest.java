package io.enipam.node.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs.Pair;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who has which addresses together is known as long as database or kernel knows it. */
class LeasedAddressPairsTest {
    private static final Instant NOW = Instant.parse("2026-11-22T02:00:00Z");

    private static Resource resource(String... addresses) {
        return new Resource(
                new ResourceId("eni-1/" + addresses[0]),
                ResourceKind.ENI_IP,
                Stream.of(addresses).map(Address::parse).toList(),
                "eni-1",
                Map.of());
    }

    private static Lease lease(String container, Resource resource) {
        return new Lease(
                new OwnerKey("enipam", container, "eth0"),
                PodRef.parse("default/" + container),
                "uid-" + container,
                resource,
                Duration.ZERO,
                NOW);
    }

    private static ResourceDb.Contents contents(List<Lease> leases, List<Hold> holds) {
        return new ResourceDb.Contents(leases, holds, List.of(), List.of(), List.of(), Optional.empty());
    }

    @Test
    void theDatabaseSaysItOfLeasesAndHolds() {
        Hold hold = new Hold(
                resource("10.0.0.3", "2001:db8::3"),
                Hold.Purpose.COOLING,
                PodRef.parse("default/b"),
                NOW.plusSeconds(9),
                Duration.ZERO);
        LeasedAddressPairs pairs = new LeasedAddressPairs(() -> contents(
                List.of(lease("a", resource("10.0.0.2", "2001:DB8:0::2")), lease("c", resource("10.0.0.4"))),
                List.of(hold)));

        assertThat(pairs.read())
                .containsExactlyInAnyOrder(
                        new Pair("10.0.0.2", Optional.of("2001:db8::2")),
                        new Pair("10.0.0.3", Optional.of("2001:db8::3")),
                        new Pair("10.0.0.4", Optional.empty()));
    }

    @Test
    void theKernelSaysItWhereTheDatabaseIsLost() {
        MemoryDatapath kernel = new MemoryDatapath();
        kernel.setUp(new DatapathRequest(
                lease("a", resource("10.0.0.2", "2001:db8::2")), LinkRequest.simulated(), PodNetworkSpec.NONE));
        LeasedAddressPairs pairs = new LeasedAddressPairs(() -> contents(List.of(), List.of()));
        assertThat(pairs.read()).isEmpty();

        pairs.addDatapath(kernel);

        assertThat(pairs.read()).containsExactly(new Pair("10.0.0.2", Optional.of("2001:db8::2")));
    }
}

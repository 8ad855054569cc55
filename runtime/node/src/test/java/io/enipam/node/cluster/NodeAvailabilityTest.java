package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability;
import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability.AddressAvailability;
import io.enipam.platform.testing.FakeEngine;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the scheduler is told of a node. */
class NodeAvailabilityTest {
    @Test
    void aNodeThatCanConnectNoPodHasNoAddressToOfferHoweverManyAreIdle() {
        FakeEngine engine = new FakeEngine(3);
        engine.start().join();

        NodeAvailability broken = NodeAvailability.of(
                        engine, () -> Optional.of("no iproute2"), FakeEngine.AT, Duration.ZERO)
                .orElseThrow();
        assertThat(broken.supply()).isEqualTo(new AddressAvailability(false, "no iproute2"));
        assertThat(broken.capacity()).hasValue(3);

        NodeAvailability mended = NodeAvailability.of(engine, Optional::empty, FakeEngine.AT, Duration.ZERO)
                .orElseThrow();
        assertThat(mended.supply().sufficient()).isTrue();
    }
}

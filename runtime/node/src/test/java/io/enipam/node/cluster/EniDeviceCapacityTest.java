package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.node.cluster.EniDevicePlugin.EniDeviceCapacity;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.Address;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EniDeviceCapacityTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final PendingWork FINE = PendingWork.empty(NOW);

    private final List<PoolView.Entry> entries = new ArrayList<>();

    @Test
    void aNodeWhosePodsShareEnisHasNoneToGive() {
        assertThat(EniDeviceCapacity.of(pool("eni-ip", 30), FINE, NOW)).isEqualTo(new EniDeviceCapacity(0, 0));
    }

    @Test
    void thereAreAsManyAsThePoolCanHave() {
        there("eni", ResourceState.IN_USE);
        assertThat(EniDeviceCapacity.of(pool("eni", 3), FINE, NOW)).isEqualTo(new EniDeviceCapacity(3, 3));
    }

    @Test
    void addressesThatPodsStillHaveOfAFormerFactoryAreNoEnis() {
        there("eni-ip", ResourceState.IN_USE);
        there("eni-ip", ResourceState.IN_USE);
        assertThat(EniDeviceCapacity.of(pool("eni", 5), FINE, NOW)).isEqualTo(new EniDeviceCapacity(3, 3));
    }

    @Test
    void whileNoneCanBeMadeForLongThoseThereAreRemain() {
        there("eni", ResourceState.IN_USE);
        there("eni", ResourceState.COOLING);
        there("eni", ResourceState.DISPOSING);
        assertThat(EniDeviceCapacity.of(pool("eni", 4), failing(Duration.ofMinutes(6), Duration.ZERO), NOW))
                .isEqualTo(new EniDeviceCapacity(4, 2));
    }

    @Test
    void aHiccupOfTheCloudChangesNothing() {
        assertThat(EniDeviceCapacity.of(pool("eni", 4), failing(Duration.ofMinutes(4), Duration.ZERO), NOW))
                .isEqualTo(new EniDeviceCapacity(4, 4));
    }

    @Test
    void whatNobodyHasTriedSinceIsGivenAnotherChanceOrNobodyWouldEverTry() {
        assertThat(EniDeviceCapacity.of(pool("eni", 4), failing(Duration.ofHours(2), Duration.ofMinutes(7)), NOW))
                .isEqualTo(new EniDeviceCapacity(4, 4));
    }

    private void there(String kind, ResourceState state) {
        Resource resource = new Resource(
                new ResourceId("r-" + entries.size()),
                new ResourceKind(kind),
                List.of(Address.parse("10.0.0." + (entries.size() + 1) + "/24")),
                "",
                Map.of());
        entries.add(new PoolView.Entry(resource, state, NOW, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    private PoolView pool(String kind, int capacity) {
        return FakeEngine.view(NOW, kind, new Watermarks(0, 0, capacity), 0, 0, entries);
    }

    /**
     * @param since how long before the last failure the first one was
     * @param ago how long ago the last one was, and would have been tried again at once
     */
    private static PendingWork failing(Duration since, Duration ago) {
        Instant last = NOW.minus(ago);
        return new PendingWork(
                NOW,
                Set.of(),
                List.of(),
                List.of(),
                Optional.of(new RetryState(7, ErrorKind.UNAUTHORIZED, "forbidden", last, last, last.minus(since))),
                Map.of(),
                PendingWork.NextRuns.NONE);
    }
}

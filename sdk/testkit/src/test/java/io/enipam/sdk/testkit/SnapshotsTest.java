package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Family;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SnapshotsTest {
    @Test
    void aPoolHasWhatItWasBuiltOf() {
        PoolSnapshot pool = Snapshots.pool()
                .capacity(50)
                .watermarks(1, 9)
                .waiting(4)
                .creating(2)
                .inUse("eni-2", 10)
                .idle("eni-1", 3)
                .build();
        assertThat(pool.count(ResourceState.IDLE)).isEqualTo(3);
        assertThat(pool.count(ResourceState.IN_USE)).isEqualTo(10);
        assertThat(pool.count(ResourceState.CREATING)).isEqualTo(2);
        assertThat(List.of(pool.capacity(), pool.minIdle(), pool.maxIdle(), pool.waiting()))
                .containsExactly(50, 1, 9, 4);
        assertThat(pool.in(ResourceState.IDLE))
                .allMatch(view -> view.resource().parent().equals("eni-1"));
    }

    @Test
    void theLongestIdleComesFirstAndNothingIsNewerThanTheSnapshot() {
        Snapshots.random(1).limit(500).forEach(pool -> {
            List<ResourceView> idle = pool.in(ResourceState.IDLE);
            assertThat(idle).isSortedAccordingTo((a, b) -> a.since().compareTo(b.since()));
            assertThat(pool.resources()).allMatch(view -> !view.since().isAfter(pool.at()));
            assertThat(pool.resources().stream().limit(idle.size()).toList()).isEqualTo(idle);
        });
    }

    @Test
    void noTwoResourcesShareAnIdOrAnAddress() {
        Snapshots.random(2).limit(500).forEach(pool -> {
            assertThat(pool.resources())
                    .extracting(view -> view.resource().id())
                    .doesNotHaveDuplicates();
            assertThat(pool.resources())
                    .extracting(view -> view.resource().addresses().get(0).host())
                    .doesNotHaveDuplicates();
            assertThat(pool.resources())
                    .allMatch(view -> view.resource().addresses().get(0).family() == Family.IPV4);
        });
    }

    @Test
    void oneSeedGivesOnePoolAfterAnother() {
        assertThat(Snapshots.random(3).limit(100).toList())
                .isEqualTo(Snapshots.random(3).limit(100).toList())
                .isNotEqualTo(Snapshots.random(4).limit(100).toList());
    }

    @Test
    void amongSomeThousandsAreTheCornersOfThePool() {
        List<PoolSnapshot> pools = Snapshots.random(5).limit(2_000).toList();
        assertThat(pools).anyMatch(pool -> pool.resources().isEmpty());
        assertThat(pools).anyMatch(pool -> pool.capacity() == 0);
        assertThat(pools).anyMatch(pool -> pool.resources().size() >= 300);
        assertThat(pools)
                .anyMatch(pool -> pool.count(ResourceState.IDLE) == pool.capacity()
                        && !pool.resources().isEmpty());
        assertThat(pools).anyMatch(pool -> pool.waiting() > 0 && pool.count(ResourceState.IDLE) == 0);
        assertThat(pools).anyMatch(pool -> pool.activity().lent().isEmpty());
        assertThat(pools).anyMatch(pool -> pool.activity().lent().size() > 30);
        assertThat(pools).anyMatch(pool -> pool.waiting() > 1 && pool.waiters().size() == pool.waiting());
        assertThat(pools)
                .anyMatch(pool -> pool.in(ResourceState.IN_USE).stream()
                                .flatMap(view -> view.owner().stream())
                                .map(owner -> owner.ref().namespace())
                                .distinct()
                                .count()
                        > 2);
        assertThat(pools.stream().flatMap(pool -> pool.in(ResourceState.IN_USE).stream()))
                .allMatch(view -> view.owner().isPresent());
        assertThat(pools.stream()
                        .flatMap(pool -> pool.resources().stream())
                        .map(ResourceView::state)
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(
                        ResourceState.IDLE,
                        ResourceState.IN_USE,
                        ResourceState.COOLING,
                        ResourceState.RESERVED,
                        ResourceState.INVALID,
                        ResourceState.DISPOSING);
    }
}

package io.enipam.examples.enipacking;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole lives of a node: what packing is for, and what it costs. */
class PackedNodeTest {
    private static final PoolPolicy WATERMARK = () -> "watermark";

    @Test
    void aNodeThatEmptiesGivesItsEnisBackOneAfterTheOther() {
        EniPackingSimulation node = new EniPackingSimulation(EniPackingPolicyTest.policy(), 2, 5, 8, 10);
        List<ResourceId> pods = new ArrayList<>();
        node.settle();
        for (int i = 0; i < 40; i++) {
            pods.add(node.start());
            node.settle();
        }
        assertThat(node.sizes()).hasSize(5);

        while (pods.size() > 3) {
            node.stop(pods.remove(pods.size() - 1));
            node.pass(Duration.ofMinutes(5)).settle();
        }

        assertThat(node.sizes()).as("three pods and the warm addresses").hasSize(1);
        assertThat(node.count(ResourceState.IDLE)).isBetween(2, 5);
    }

    @Test
    void onePodThatComesAndGoesMovesNothing() {
        EniPackingSimulation node = new EniPackingSimulation(EniPackingPolicyTest.policy(), 2, 5, 8, 10);
        node.settle();
        for (int i = 0; i < 9; i++) {
            node.start();
            node.settle();
        }
        node.pass(Duration.ofHours(1)).settle();
        int calls = node.calls();

        for (int i = 0; i < 50; i++) {
            ResourceId pod = node.start();
            node.pass(Duration.ofMinutes(10)).settle();
            node.stop(pod);
            node.pass(Duration.ofMinutes(10)).settle();
        }

        assertThat(node.calls() - calls).as("calls of the cloud").isLessThanOrEqualTo(2);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aDayOfPodsNeedsFewerEnisThanWithTheWatermarksAndNotManyMoreCalls(long seed) {
        Day packed = live(EniPackingPolicyTest.policy(), seed);
        Day plain = live(WATERMARK, seed);

        assertThat(packed.eniMinutes).isLessThan(plain.eniMinutes * 9 / 10);
        assertThat(packed.calls).isLessThanOrEqualTo(plain.calls * 12 / 10);
    }

    /** Pods come and go by the minute, more of them by day than by night. */
    private static Day live(PoolPolicy policy, long seed) {
        Random random = new Random(seed);
        EniPackingSimulation node = new EniPackingSimulation(policy, 2, 8, 12, 10);
        List<ResourceId> pods = new ArrayList<>();
        int eniMinutes = 0;
        node.settle();
        for (int minute = 0; minute < 1_440; minute++) {
            int wished = 45 + (int) Math.round(35 * Math.sin(2 * Math.PI * minute / 720));
            for (int i = 0; i < 3; i++) {
                boolean comes = random.nextInt(wished) > random.nextInt(Math.max(1, pods.size()));
                if (comes && pods.size() < 100) {
                    pods.add(node.start());
                } else if (!comes) {
                    node.stop(pods.remove(random.nextInt(pods.size())));
                }
                node.settle();
            }
            node.pass(Duration.ofMinutes(1)).settle();
            eniMinutes += node.sizes().size();
        }
        return new Day(eniMinutes, node.calls());
    }

    private record Day(int eniMinutes, int calls) {}
}

package io.enipam.examples.nodeipam.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.blocks.Blocks.Allocation;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compared with models that are slow and simple. */
class BlocksModelTest {
    /** Two pools that overlap, with blocks of different sizes, and owners that hold subnets of any size besides. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatIsTakenOfAPoolIsWhatOverlapsAnythingThatIsHeld(long seed) {
        Random random = new Random(seed);
        Blocks blocks = new Blocks();
        blocks.add("a", List.of(new BlockRange(Subnet.parse("10.0.0.0/16"), 24)));
        blocks.add(
                "b",
                List.of(
                        new BlockRange(Subnet.parse("10.0.0.0/17"), 26),
                        new BlockRange(Subnet.parse("fd00::/112"), 120)));
        List<Subnet> subnets = Stream.generate(() -> subnet(random)).limit(40).toList();
        Map<Owner, List<Subnet>> model = new HashMap<>();
        for (int step = 0; step < 4_000; step++) {
            Owner owner = Owner.node("n" + random.nextInt(12));
            switch (random.nextInt(4)) {
                case 0 -> {
                    assertThat(blocks.release(owner)).isEqualTo(model.remove(owner) != null);
                }
                case 1 -> {
                    if (!model.containsKey(owner)
                            && blocks.allocate(owner, random.nextBoolean() ? "a" : "b")
                                    instanceof Allocation.Granted granted) {
                        granted.blocks()
                                .forEach(block ->
                                        assertThat(overlaps(model, block)).isFalse());
                        model.put(owner, granted.blocks());
                    }
                }
                default -> {
                    List<Subnet> some = Stream.generate(() -> subnets.get(random.nextInt(subnets.size())))
                            .limit(random.nextInt(3))
                            .distinct()
                            .toList();
                    if (random.nextInt(6) == 0) {
                        blocks.hold(owner, some);
                        model.put(owner, some);
                        model.values().removeIf(List::isEmpty);
                    }
                }
            }
            if (step % 50 == 0) {
                requireEqual(blocks, model);
            }
        }
    }

    private static Subnet subnet(Random random) {
        return new Subnet(Ip.parse("10.0." + random.nextInt(256) + "." + random.nextInt(256)), 14 + random.nextInt(14))
                .network();
    }

    private static boolean overlaps(Map<Owner, List<Subnet>> model, Subnet block) {
        return model.values().stream()
                .flatMap(List::stream)
                .anyMatch(held -> held.contains(block.first()) || block.contains(held.first()));
    }

    private static void requireEqual(Blocks blocks, Map<Owner, List<Subnet>> model) {
        for (String pool : blocks.pools()) {
            List<String> differing = blocks.read(pool, ranges -> {
                        List<String> found = new ArrayList<>();
                        for (BlockRange range : ranges) {
                            for (int index = 0; index < range.size(); index++) {
                                if (overlaps(model, range.block(index)) != range.isTaken(index)) {
                                    found.add(range.block(index).toString());
                                }
                            }
                        }
                        return found;
                    })
                    .orElseThrow();
            assertThat(differing).as("pool " + pool).isEmpty();
        }
        assertThat(blocks.all())
                .hasSize((int) model.values().stream().mapToLong(List::size).sum());
    }

    @Test
    void aPoolThatIsAddedLaterKnowsWhatIsHeldAlready() {
        Blocks blocks = new Blocks();
        blocks.hold(Owner.services("10.96.0.0/13"), List.of(Subnet.parse("10.96.0.0/13")));
        blocks.hold(Owner.node("a"), List.of(Subnet.parse("10.104.0.128/25")));
        blocks.add("late", List.of(new BlockRange(Subnet.parse("10.96.0.0/12"), 24)));
        assertThat(blocks.allocate(Owner.node("b"), "late"))
                .isEqualTo(new Allocation.Granted(List.of(Subnet.parse("10.104.1.0/24")), 2_049));
    }

    @Test
    void allFamiliesOrNone() {
        Blocks blocks = new Blocks();
        BlockRange four = new BlockRange(Subnet.parse("10.0.0.0/23"), 24);
        BlockRange six = new BlockRange(Subnet.parse("fd00::/64"), 64);
        blocks.add("dual", List.of(four, six));
        assertThat(blocks.allocate(Owner.node("a"), "dual")).isInstanceOf(Allocation.Granted.class);
        assertThat(blocks.allocate(Owner.node("b"), "dual")).isEqualTo(new Allocation.Exhausted(six));
        assertThat(four.taken()).isOne();
    }
}

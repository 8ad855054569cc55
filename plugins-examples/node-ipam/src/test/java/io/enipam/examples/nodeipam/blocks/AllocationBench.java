package io.enipam.examples.nodeipam.blocks;

import io.enipam.examples.nodeipam.blocks.Blocks.Allocation;
import io.enipam.sdk.ranges.Places;
import io.enipam.sdk.ranges.Subnet;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntSupplier;

/**
 * What one block costs in a range of 65,536 that is empty, half full and nearly full, beside a search from the last one given on, place
 * by place; and what large ranges cost in memory. Run by {@code enipam-bench nodeipam}.
 */
final class AllocationBench {
    private static final int SIZE = 65_536;
    private static final int ROUNDS = 100;
    private static final int CALLS = 400;

    private AllocationBench() {}

    public static void main(String[] args) {
        System.out.println("full   index ns  linear ns   node's whole block ns");
        for (int full : new int[] {0, 50, 99}) {
            long[] best = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
            for (int round = 0; round < ROUNDS; round++) {
                best[0] = Math.min(best[0], places(full));
                best[1] = Math.min(best[1], linear(full));
                best[2] = Math.min(best[2], blocks(full));
            }
            System.out.printf(Locale.ROOT, "%3d%% %9d %10d %12d%n", full, best[0], best[1], best[2]);
        }
        memory("10.0.0.0/8", 28);
        memory("fd00::/64", 80);
    }

    /** The first places are taken, and some of the others: the worst case of a linear search, and that of a cluster that has grown. */
    private static BitSet taken(int full) {
        BitSet taken = new BitSet(SIZE);
        taken.set(0, SIZE * full / 100);
        return taken;
    }

    private static long places(int full) {
        Places places = new Places(SIZE);
        taken(full).stream().forEach(places::take);
        return nanos(() -> {
            int found = places.nextFree(0).orElseThrow();
            places.take(found);
            return found;
        });
    }

    /** As Kubernetes' CidrSet does. */
    private static long linear(int full) {
        boolean[] taken = new boolean[SIZE];
        taken(full).stream().forEach(place -> taken[place] = true);
        return nanos(() -> {
            int place = 0;
            while (taken[place]) {
                place++;
            }
            taken[place] = true;
            return place;
        });
    }

    private static long blocks(int full) {
        Blocks blocks = new Blocks();
        BlockRange range = new BlockRange(Subnet.parse("10.0.0.0/8"), 24);
        blocks.add("pool", List.of(range));
        taken(full).stream().forEach(place -> range.occupy(range.block(place)));
        List<Owner> owners = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            owners.add(Owner.node("node-" + i));
        }
        int[] next = {0};
        return nanos(() -> ((Allocation.Granted) blocks.allocate(owners.get(next[0]++), "pool")).passed());
    }

    private static long nanos(IntSupplier allocation) {
        long sum = 0;
        long begun = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            sum += allocation.getAsInt();
        }
        long took = System.nanoTime() - begun;
        if (sum < 0) {
            throw new IllegalStateException();
        }
        return took / CALLS;
    }

    private static void memory(String cidr, int length) {
        Blocks blocks = new Blocks();
        long before = used();
        BlockRange range = new BlockRange(Subnet.parse(cidr), length);
        blocks.add("pool", List.of(range));
        long empty = used() - before;
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            blocks.hold(Owner.node("node-" + i), List.of(range.block(random.nextInt(range.size()))));
        }
        System.out.printf(
                Locale.ROOT,
                "%s of %d blocks: %d KB, and %d KB with what 20,000 nodes have; heap of at most %d MB%n",
                range,
                range.size(),
                empty >> 10,
                (used() - before) >> 10,
                Runtime.getRuntime().maxMemory() >> 20);
        blocks.remove("pool");
    }

    private static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}

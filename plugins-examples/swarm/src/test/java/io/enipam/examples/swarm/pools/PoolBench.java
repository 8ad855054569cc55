package io.enipam.examples.swarm.pools;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What one address costs in a /16 and one port of a set of 65,535, and one subnet of 65,536 default pools, where none, half and 99 % are
 * taken: all but the last, so that a search from the first would be the longest. Run by {@code enipam-bench swarm}.
 */
final class PoolBench {
    private static final int SIZE = 65_536;
    private static final int ROUNDS = 15;
    private static final int CALLS = 400;

    private PoolBench() {}

    public static void main(String[] args) {
        costs(99); // until it is compiled
        System.out.println("  full  address ns  number ns  subnet ns");
        List<Long> empty = costs(0);
        print("0 %", empty);
        print("50 %", costs(50));
        List<Long> full = costs(99);
        print("99 %", full);
        System.out.printf(
                Locale.ROOT,
                "99 %% to 0 %%: %5.2f %10.2f %10.2f%n",
                ratio(full, empty, 0),
                ratio(full, empty, 1),
                ratio(full, empty, 2));
    }

    private static double ratio(List<Long> full, List<Long> empty, int column) {
        return (double) full.get(column) / empty.get(column);
    }

    private static void print(String full, List<Long> costs) {
        System.out.printf(Locale.ROOT, "%6s %11d %10d %10d%n", full, costs.get(0), costs.get(1), costs.get(2));
    }

    private static List<Long> costs(int full) {
        int taken = SIZE * full / 100;
        return List.of(best(() -> address(taken)), best(() -> number(taken)), best(() -> subnet(taken)));
    }

    private static long best(Supplier<Runnable> prepared) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            Runnable allocation = prepared.get();
            long begun = System.nanoTime();
            for (int call = 0; call < CALLS; call++) {
                allocation.run();
            }
            best = Math.min(best, (System.nanoTime() - begun) / CALLS);
        }
        return best;
    }

    private static AddressSpace space() {
        return new AddressSpace(List.of("10.0.0.0/8"), 24);
    }

    /** The search is at the beginning again, and all behind it that came first is taken. */
    private static Runnable address(int taken) {
        AddressPool pool = space().request("10.1.0.0/16", "", Map.of());
        for (int i = 1; i < taken; i++) {
            pool.take(pool.subnet().address().plus(i).orElseThrow());
        }
        return pool::takeNext;
    }

    private static Runnable number(int taken) {
        NumberPool pool = new NumberPool(1, SIZE);
        for (int i = 1; i <= taken; i++) {
            pool.take(i);
        }
        return pool::take;
    }

    private static Runnable subnet(int taken) {
        AddressSpace space = space();
        for (int i = 0; i < taken; i++) {
            space.request("10." + (i >> 8) + "." + (i & 255) + ".0/24", "", Map.of());
        }
        return () -> space.request("", "", Map.of());
    }
}

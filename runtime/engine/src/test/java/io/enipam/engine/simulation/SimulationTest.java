package io.enipam.engine.simulation;

import org.junit.jupiter.api.Test;

/**
 * Whole lives of a node in virtual time: ADD, DEL, vanishing pods, GC, crashes, a disk, a cloud, an API server and a kernel
 * that fail and come back, in an order that follows from a seed. A seed that fails is named, and runs alone with {@code
 * -Denipam.simulation.first=SEED -Denipam.simulation.seeds=1}.
 */
class SimulationTest {
    private static final long FIRST = Long.getLong("enipam.simulation.first", 1);
    private static final long SEEDS = Long.getLong("enipam.simulation.seeds", 400);
    private static final int STEPS = 150;

    @Test
    void noSeedLosesALeaseLeaksAnAddressOrLendsOneTwice() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            live(seed, false);
        }
    }

    /** Nothing ends early, and nothing waits for the date: after 25 minutes without pods and faults nothing is left. */
    @Test
    void noClockThatIsSetByEightHoursEndsALeaseOrKeepsAnything() {
        for (long seed = FIRST; seed < FIRST + SEEDS / 2; seed++) {
            live(seed, true);
        }
    }

    private static void live(long seed, boolean clockJumps) {
        int step = 0;
        SimulatedNode node = new SimulatedNode(seed, clockJumps);
        try {
            for (; step < STEPS; step++) {
                node.step();
            }
            node.windUp();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ", step " + step + ": " + e.getMessage() + "\nreplay: -Denipam.simulation.first="
                            + seed + " -Denipam.simulation.seeds=1\nthe last events:\n" + node.story(),
                    e);
        }
    }
}

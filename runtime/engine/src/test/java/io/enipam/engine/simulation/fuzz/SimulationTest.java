package io.enipam.engine.simulation.fuzz;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whole lives of a node in virtual time: ADD, DEL, vanishing pods, GC, crashes, a disk, a cloud, an API server and a kernel
 * that fail and come back, in an order that follows from a seed. A seed that fails is shrunk; it runs alone with {@code
 * -Denipam.simulation.first=SEED -Denipam.simulation.seeds=1}, and {@code lab replay SEED} shows it step by step.
 */
class SimulationTest {
    private static final long FIRST = Long.getLong("enipam.simulation.first", 1);
    private static final long SEEDS = Long.getLong("enipam.simulation.seeds", 400);

    @Test
    void noSeedLosesALeaseLeaksAnAddressOrLendsOneTwice() {
        seeds(false).limit(SEEDS).forEach(SimulationTest::live);
    }

    /** Nothing ends early, and nothing waits for the date: after 25 minutes without pods and faults nothing is left. */
    @Test
    void noClockThatIsSetByEightHoursEndsALeaseOrKeepsAnything() {
        seeds(true).limit((SEEDS + 1) / 2).forEach(SimulationTest::live);
    }

    private static LongStream seeds(boolean clock) {
        return LongStream.iterate(FIRST, seed -> seed + 1).filter(seed -> ScriptGenerator.setsTheClock(seed) == clock);
    }

    private static void live(long seed) {
        Simulation simulation = new Simulation();
        Script script = ScriptGenerator.script(seed);
        Optional<Violation> broken = simulation.run(script);
        if (broken.isPresent()) {
            Shrinker.Shrunk shrunk = Shrinker.shrink(simulation, script, broken.get(), () -> true);
            Violation violation = shrunk.violation();
            throw new AssertionError(
                    "seed " + seed + " breaks, behind " + broken.get().where() + ": " + violation.invariant()
                            + "\nexpected: " + violation.expected() + "\nseen: " + violation.seen()
                            + "\nthe short script:\n"
                            + String.join("\n", shrunk.script().lines()));
        }
    }
}

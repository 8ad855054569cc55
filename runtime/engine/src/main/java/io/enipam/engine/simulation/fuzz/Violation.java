package io.enipam.engine.simulation.fuzz;

import java.util.function.Supplier;

/**
 * An invariant that did not hold.
 *
 * @param step the number of the step behind which; 0 for the start, {@link #AT_END} for the end
 */
public record Violation(int step, String invariant, String expected, String seen) {
    /** Behind the last step, faults end and pods go. */
    public static final int AT_END = Integer.MAX_VALUE;

    /** Where it was seen: {@code step 17}. */
    public String where() {
        return step == 0 ? "the start" : step == AT_END ? "the end" : "step " + step;
    }

    /** Throws what a run ends with, unless the invariant holds. */
    static void require(boolean holds, String invariant, String expected, Supplier<Object> seen) {
        if (!holds) {
            throw new Broken(invariant, expected, String.valueOf(seen.get()));
        }
    }

    /** The same for a value that has to be another. */
    static void requireEqual(Object seen, Object expected, String invariant) {
        require(seen.equals(expected), invariant, String.valueOf(expected), () -> seen);
    }

    /** Ends a run. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String invariant;
        private final String expected;
        private final String seen;

        Broken(String invariant, String expected, String seen) {
            super(invariant + ": expected " + expected + ", seen " + seen);
            this.invariant = invariant;
            this.expected = expected;
            this.seen = seen;
        }

        Violation at(int step) {
            return new Violation(step, invariant, expected, seen);
        }
    }
}

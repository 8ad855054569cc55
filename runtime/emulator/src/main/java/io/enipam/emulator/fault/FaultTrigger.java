package io.enipam.emulator.fault;

import java.util.SplittableRandom;

/** At which of the calls that a rule sees it does something. Immutable. */
public sealed interface FaultTrigger {
    /**
     * Whether this call is one.
     *
     * @param number the call's, as the rule counts, from 1
     * @param random of that number alone, so that neither other rules nor other calls change what is drawn
     */
    boolean matches(long number, SplittableRandom random);

    /** Each call. */
    record Always() implements FaultTrigger {
        @Override
        public boolean matches(long number, SplittableRandom random) {
            return true;
        }
    }

    /**
     * One call.
     *
     * @param n which, from 1
     */
    record Nth(long n) implements FaultTrigger {
        public Nth {
            requirePositive(n);
        }

        @Override
        public boolean matches(long number, SplittableRandom random) {
            return number == n;
        }
    }

    /**
     * The n-th call, the 2n-th and so on.
     *
     * @param n from 1
     */
    record Every(long n) implements FaultTrigger {
        public Every {
            requirePositive(n);
        }

        @Override
        public boolean matches(long number, SplittableRandom random) {
            return number % n == 0;
        }
    }

    /**
     * Each call with a probability.
     *
     * @param percent more than 0, 100 at most
     */
    record Percent(double percent) implements FaultTrigger {
        public Percent {
            if (!(percent > 0 && percent <= 100)) {
                throw new IllegalArgumentException(
                        "a probability must be more than 0 and at most 100 percent, not " + percent);
            }
        }

        @Override
        public boolean matches(long number, SplittableRandom random) {
            return random.nextDouble() * 100 < percent;
        }
    }

    private static void requirePositive(long n) {
        if (n < 1) {
            throw new IllegalArgumentException("calls are counted from 1, not from " + n);
        }
    }
}

package io.enipam.sdk.testkit;

/** The seed of a contract's random choices: {@value #PROPERTY} sets it, and a failure names it. */
final class Seed {
    static final String PROPERTY = "enipam.contract.seed";

    private Seed() {}

    static long value() {
        return Long.getLong(PROPERTY, 20_261_121L);
    }

    /** Runs something that depends on the seed, and names the seed if it fails. */
    static void telling(Body body) throws InterruptedException {
        try {
            body.run(value());
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n  again with: -D" + PROPERTY + "=" + value(), e);
        }
    }

    interface Body {
        void run(long seed) throws InterruptedException;
    }
}

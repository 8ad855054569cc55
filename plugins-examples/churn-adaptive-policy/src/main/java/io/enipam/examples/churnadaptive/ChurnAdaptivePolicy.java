package io.enipam.examples.churnadaptive;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Target;

/**
 * Keeps as many addresses idle as are needed for a stated probability of waiting, and no more.
 *
 * <p>It remembers nothing: all it learns from is the activity in the snapshot. Pure and thread-safe; an answer costs the same
 * for small and for large pools.
 */
record ChurnAdaptivePolicy(ChurnAdaptiveConfig knobs) implements PoolPolicy {
    static final String NAME = "churn-adaptive";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Target target(PoolSnapshot pool) {
        Sizing sizing = Sizing.of(pool, knobs);
        return Target.between(sizing.minIdle(), sizing.maxIdle());
    }
}

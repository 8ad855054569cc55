package io.enipam.engine.policy;

import io.enipam.sdk.PoolPolicy;

/**
 * Terway's policy, and the one that answers when another cannot: the longest idle resource is lent first, as many idle
 * ones are kept as the watermarks say, and cool-down and stick time are what configuration and pod ask for.
 *
 * <p>All of that is what {@link PoolPolicy} defaults to. The engine knows this class and takes its answers without
 * building a snapshot, which keeps the hot path free of copies.
 */
public final class WatermarkPolicy implements PoolPolicy {
    /** The name by which configuration and the shell know it. */
    public static final String NAME = "watermark";

    @Override
    public String name() {
        return NAME;
    }
}

package io.enipam.sdk;

/** Announces one policy a plugin can build. */
public interface PoolPolicyProvider {
    /** The name by which configuration and the shell know the policy: {@code [a-z][a-z0-9-]*}, constant. */
    String name();

    /** Builds the policy. Its {@link PoolPolicy#name()} is {@link #name()}. */
    PoolPolicy open(PluginContext context);
}

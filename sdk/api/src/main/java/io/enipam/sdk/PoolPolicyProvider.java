package io.enipam.sdk;

import java.util.function.Function;

/**
 * Announces one policy a plugin can build.
 *
 * <pre>{@code
 * final class OneInTenProvider implements PoolPolicyProvider {
 *     static final Setting<Integer> SHARE =
 *             Setting.wholeNumber("share", 1, 100, 10).unit("percent").doc("How many to keep idle, of those lent.");
 *
 *     public String name() { return "one-in-ten"; }
 *
 *     public PoolPolicy open(PluginContext context) {
 *         int share = context.settings().get(SHARE);
 *         return new PoolPolicy() {
 *             public String name() { return "one-in-ten"; }
 *             public Target target(PoolSnapshot pool) {
 *                 int warm = Math.max(1, pool.count(ResourceState.IN_USE) * share / 100);
 *                 return Target.between(warm, warm + 2);
 *             }
 *         };
 *     }
 * }
 * }</pre>
 */
public interface PoolPolicyProvider {
    /** The name by which configuration and the shell know the policy: {@code [a-z][a-z0-9-]*}, constant. */
    String name();

    /**
     * Builds the policy. Its {@link PoolPolicy#name()} is {@link #name()}. Called on a thread of the plugin's, when the policy is
     * chosen; after 10 s the daemon gives up, and the policy in force stays.
     *
     * @throws FactoryException if the settings do not allow it; the message is shown to the operator that chose the policy
     */
    PoolPolicy open(PluginContext context);

    /** A provider of a policy by this name. */
    static PoolPolicyProvider of(String name, Function<PluginContext, ? extends PoolPolicy> open) {
        record Given(String name, Function<PluginContext, ? extends PoolPolicy> opening) implements PoolPolicyProvider {
            @Override
            public PoolPolicy open(PluginContext context) {
                return opening.apply(context);
            }
        }
        return new Given(name, open);
    }
}

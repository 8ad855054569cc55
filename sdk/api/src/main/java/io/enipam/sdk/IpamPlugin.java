package io.enipam.sdk;

import java.util.List;

/**
 * The entry point of a plugin, found by {@link java.util.ServiceLoader}: a public class with a public constructor
 * without parameters, named in {@code META-INF/services/io.enipam.sdk.IpamPlugin}.
 *
 * <p>Every method defaults to "nothing", so a plugin overrides what it brings. The constructor and these methods do no
 * work: threads and connections start when a factory or policy is opened.
 */
public interface IpamPlugin {
    /** The factories this plugin brings. */
    default List<ResourceFactoryProvider> resourceFactories() {
        return List.of();
    }

    /** The pool policies this plugin brings. */
    default List<PoolPolicyProvider> poolPolicies() {
        return List.of();
    }

    /** The settings this plugin reads, with different names; the same objects at each call. */
    default List<Setting<?>> settings() {
        return List.of();
    }

    /** What this plugin can tell about itself, with different names. */
    default List<Diagnostic> diagnostics() {
        return List.of();
    }
}

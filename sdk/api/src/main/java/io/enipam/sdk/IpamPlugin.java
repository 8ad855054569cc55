package io.enipam.sdk;

import java.util.List;

/**
 * The entry point of a plugin, found by {@link java.util.ServiceLoader}: a public class with a public constructor
 * without parameters, named in {@code META-INF/services/io.enipam.sdk.IpamPlugin}.
 *
 * <p>Every method defaults to "nothing", so a plugin overrides what it brings. The constructor and these methods do no
 * work: threads and connections start when a factory or policy is opened. They are called once, on one thread, and must
 * be through after 10 s; a plugin that is not, throws, or answers {@code null} is FAILED, with the cause in
 * {@code plugin info}, and stops neither the daemon nor another plugin.
 *
 * <p><b>A whole plugin.</b> The class:
 *
 * <pre>{@code
 * package com.example.fixed;
 *
 * public final class FixedPlugin implements IpamPlugin {
 *     public List<ResourceFactoryProvider> resourceFactories() { return List.of(new FixedProvider()); }
 *     public List<Setting<?>> settings() { return List.of(FixedProvider.HOSTS); }
 * }
 * }</pre>
 *
 * <p>{@code META-INF/services/io.enipam.sdk.IpamPlugin}, which names exactly one class:
 *
 * <pre>
 * com.example.fixed.FixedPlugin
 * </pre>
 *
 * <p>{@code META-INF/MANIFEST.MF} of the jar that holds them, checked before any class is loaded:
 *
 * <pre>
 * Plugin-Id: fixed
 * Plugin-Version: 1.0.0
 * Sdk-Version: [0.1,0.2)
 * </pre>
 *
 * <p>{@code enipam.yaml}, where the settings are under the plugin's id and the factory is chosen by its own name:
 *
 * <pre>
 * pool:
 *   factory: fixed
 * plugins:
 *   fixed:
 *     hosts: [192.0.2.10, 192.0.2.11]
 * </pre>
 *
 * <p>And to try it: {@code enipam --sandbox --plugin fixed.jar -c 'plugin list'}.
 *
 * <p>{@link ResourceFactoryProvider} and {@link ResourceFactory} show the rest of it.
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

    /** This plugin's diagnostics, with different names. */
    default List<Diagnostic> diagnostics() {
        return List.of();
    }

    /** What of this plugin can run in the host, with different names. */
    default List<Extension> extensions() {
        return List.of();
    }
}

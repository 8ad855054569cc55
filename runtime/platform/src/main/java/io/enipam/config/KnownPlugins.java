package io.enipam.config;

import io.enipam.sdk.Setting;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What configuration has to know of plugins to check what it says about them.
 *
 * @param plugins those that were loaded
 * @param rejected names of those that could not be loaded: what is said about them cannot be checked, and is let through
 * @param policies the built-in policies' names
 * @param factories the built-in factories' names
 */
public record KnownPlugins(List<Plugin> plugins, Set<String> rejected, Set<String> policies, Set<String> factories) {
    public KnownPlugins {
        plugins = List.copyOf(plugins);
        rejected = Set.copyOf(rejected);
        policies = Set.copyOf(policies);
        factories = Set.copyOf(factories);
    }

    /**
     * One plugin's part.
     *
     * @param id under which its settings are found
     * @param settings with different names
     * @param policies names of the policies it brings
     * @param factories names of the factories it brings
     */
    public record Plugin(String id, List<Setting<?>> settings, Set<String> policies, Set<String> factories) {
        public Plugin {
            settings = List.copyOf(settings);
            policies = Set.copyOf(policies);
            factories = Set.copyOf(factories);
        }
    }

    /** No plugin at all. */
    public static KnownPlugins none() {
        return new KnownPlugins(
                List.of(),
                Set.of(),
                Set.of(Schema.POLICY.usual()),
                Arrays.stream(DaemonMode.values()).map(DaemonMode::factory).collect(Collectors.toSet()));
    }

    /** Every policy there is. */
    Set<String> allPolicies() {
        Set<String> names = new LinkedHashSet<>(policies);
        plugins.forEach(plugin -> names.addAll(plugin.policies()));
        return names;
    }

    /** Every factory there is. */
    Set<String> allFactories() {
        Set<String> names = new LinkedHashSet<>(factories);
        plugins.forEach(plugin -> names.addAll(plugin.factories()));
        return names;
    }
}

package io.enipam.config;

import io.enipam.config.ConfigLoader.DaemonMode;
import io.enipam.sdk.Setting;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the configuration needs to know about plugins to validate their settings.
 *
 * @param rejected names of plugins that failed to load: their settings cannot be validated, and are accepted
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

    /** What one plugin provides: settings with distinct names, policies, factories and extensions. */
    public record Plugin(
            String id, List<Setting<?>> settings, Set<String> policies, Set<String> factories, Set<String> extensions) {
        public Plugin {
            settings = List.copyOf(settings);
            policies = Set.copyOf(policies);
            factories = Set.copyOf(factories);
            extensions = Set.copyOf(extensions);
        }

        /** Whether its settings are for extensions alone, which take others while they run. */
        boolean isLive() {
            return policies.isEmpty() && factories.isEmpty() && !extensions.isEmpty();
        }
    }

    public static KnownPlugins none() {
        return new KnownPlugins(
                List.of(),
                Set.of(),
                Set.of(Schema.POLICY.usual()),
                Arrays.stream(DaemonMode.values()).map(DaemonMode::factory).collect(Collectors.toSet()));
    }

    Optional<Plugin> find(String id) {
        return plugins.stream().filter(plugin -> plugin.id().equals(id)).findFirst();
    }

    Set<String> allPolicies() {
        Set<String> names = new LinkedHashSet<>(policies);
        plugins.forEach(plugin -> names.addAll(plugin.policies()));
        return names;
    }

    Set<String> allExtensions() {
        Set<String> names = new LinkedHashSet<>();
        plugins.forEach(plugin -> names.addAll(plugin.extensions()));
        return names;
    }

    Set<String> allFactories() {
        Set<String> names = new LinkedHashSet<>(factories);
        plugins.forEach(plugin -> names.addAll(plugin.factories()));
        return names;
    }
}

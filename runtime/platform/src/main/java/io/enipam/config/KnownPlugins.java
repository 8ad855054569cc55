package io.enipam.config;

import io.enipam.config.ConfigLoader.DaemonMode;
import io.enipam.sdk.Setting;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the configuration needs to know about plugins to validate their settings.
 *
 * @param policies the built-in policies' names
 * @param factories the built-in factories' names
 */
public record KnownPlugins(Installed installed, Set<String> policies, Set<String> factories) {
    public KnownPlugins {
        policies = Set.copyOf(policies);
        factories = Set.copyOf(factories);
    }

    /** Plugins that are loaded already, and others that failed to load. */
    public KnownPlugins(List<Plugin> plugins, Set<String> rejected, Set<String> policies, Set<String> factories) {
        this(new Loaded(List.copyOf(plugins), Set.copyOf(rejected)), policies, factories);
    }

    /** The plugins that are installed, of which some may not be loaded yet. Thread-safe. */
    public interface Installed {
        /** The ids of all that can be loaded, and were not found to be broken. */
        List<String> ids();

        /** Those that are loaded. */
        List<Plugin> plugins();

        /** Names of plugins that failed to load: their settings cannot be validated, and are accepted. */
        Set<String> rejected();

        /** Waits until it is loaded; empty if there is none of this id, or it failed to load. */
        Optional<Plugin> find(String id);

        /** Waits until the plugin with a policy, factory or extension of this name is loaded, or else all are. */
        void awaitOneWith(String name);
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

    /** The names of policies among which this one is, if there is one; a built-in one waits for no plugin. */
    Set<String> policiesFor(String wanted) {
        return names(policies, Plugin::policies, wanted);
    }

    /** The same of factories. */
    Set<String> factoriesFor(String wanted) {
        return names(factories, Plugin::factories, wanted);
    }

    /** The same of extensions. */
    Set<String> extensionsFor(String wanted) {
        return names(Set.of(), Plugin::extensions, wanted);
    }

    private Set<String> names(Set<String> builtIn, Function<Plugin, Set<String>> provided, String wanted) {
        if (builtIn.contains(wanted)) {
            return builtIn;
        }
        installed.awaitOneWith(wanted);
        Set<String> names = new LinkedHashSet<>(builtIn);
        installed.plugins().forEach(plugin -> names.addAll(provided.apply(plugin)));
        return names;
    }

    private record Loaded(List<Plugin> plugins, Set<String> rejected) implements Installed {
        @Override
        public List<String> ids() {
            return plugins.stream().map(Plugin::id).toList();
        }

        @Override
        public Optional<Plugin> find(String id) {
            return plugins.stream().filter(plugin -> plugin.id().equals(id)).findFirst();
        }

        @Override
        public void awaitOneWith(String name) {
            // all are loaded
        }
    }
}

package io.enipam.pluginhost.load;

import io.enipam.pluginhost.load.EntryPoint.PluginStepRunner;
import io.enipam.pluginhost.load.PluginLoader.PluginLoadException;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the lists of a plugin, trusting nothing about them. */
final class PluginDeclarationReader {
    private static final int MOST = 1_000;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    private final PluginStepRunner steps;

    PluginDeclarationReader(PluginStepRunner steps) {
        this.steps = steps;
    }

    List<Setting<?>> settings(String what, Callable<@Nullable List<Setting<?>>> call) throws PluginLoadException {
        List<Setting<?>> settings = list(what, call);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            for (Setting<?> setting : settings) {
                distinct(what, names, setting.name());
                // Setting's own methods were called by the plugin, which may have given them null
                given(what, setting.name() + ".allowed()", setting.allowed());
                given(what, setting.name() + ".unit()", setting.unit());
                given(what, setting.name() + ".doc()", setting.doc());
                given(what, setting.name() + ".usual()", setting.usual());
            }
            return settings;
        });
    }

    List<ResourceFactoryProvider> factories(IpamPlugin plugin) throws PluginLoadException {
        String what = "resourceFactories()";
        List<ResourceFactoryProvider> found = list(what, plugin::resourceFactories);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            List<ResourceFactoryProvider> named = new ArrayList<>();
            for (ResourceFactoryProvider factory : found) {
                named.add(new NamedFactory(name(what, names, factory.name()), factory));
            }
            return named;
        });
    }

    List<PoolPolicyProvider> policies(IpamPlugin plugin) throws PluginLoadException {
        String what = "poolPolicies()";
        List<PoolPolicyProvider> found = list(what, plugin::poolPolicies);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            List<PoolPolicyProvider> named = new ArrayList<>();
            for (PoolPolicyProvider policy : found) {
                named.add(new NamedPolicy(name(what, names, policy.name()), policy));
            }
            return named;
        });
    }

    List<Diagnostic> diagnostics(IpamPlugin plugin) throws PluginLoadException {
        String what = "diagnostics()";
        List<Diagnostic> found = list(what, plugin::diagnostics);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            List<Diagnostic> named = new ArrayList<>();
            for (Diagnostic diagnostic : found) {
                String name = name(what, names, diagnostic.name());
                String summary = given(what, name + ".summary()", diagnostic.summary());
                named.add(new NamedDiagnostic(
                        name,
                        summary,
                        settings("diagnostics(): " + name + ".parameters()", diagnostic::parameters),
                        diagnostic));
            }
            return named;
        });
    }

    /** The plugin's list may be any object that calls itself one, so it is gone through once, and not to the end. */
    private <T> List<T> list(String what, Callable<@Nullable List<T>> call) throws PluginLoadException {
        return steps.take(what, () -> {
            List<T> copy = new ArrayList<>();
            for (T element : given(what, "the list", call.call())) {
                copy.add(given(what, "element " + copy.size() + " of the list", element));
                if (copy.size() > MOST) {
                    throw new PluginLoadException(what + ": the list has more than " + MOST + " elements");
                }
            }
            return copy;
        });
    }

    private static String name(String what, Set<String> taken, @Nullable String name) throws PluginLoadException {
        String given = given(what, "a name()", name);
        if (!NAME.matcher(given).matches()) {
            throw new PluginLoadException(what + ": the name '" + OneLine.of(given)
                    + "' is not allowed; allowed are a-z, 0-9 and -, a letter first, at most 63");
        }
        return distinct(what, taken, given);
    }

    private static String distinct(String what, Set<String> taken, String name) throws PluginLoadException {
        if (!taken.add(name)) {
            throw new PluginLoadException(what + ": the name " + name + " is there twice; names must differ");
        }
        return name;
    }

    private static <T> T given(String what, String part, @Nullable T value) throws PluginLoadException {
        if (value == null) {
            throw new PluginLoadException(what + ": " + part + " is null");
        }
        return value;
    }

    /** A plugin's factory, whose name was asked for once. */
    private record NamedFactory(String name, ResourceFactoryProvider provider) implements ResourceFactoryProvider {
        @Override
        public ResourceFactory open(PluginContext context) {
            return provider.open(context);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A plugin's policy, whose name was asked for once. */
    private record NamedPolicy(String name, PoolPolicyProvider provider) implements PoolPolicyProvider {
        @Override
        public PoolPolicy open(PluginContext context) {
            return provider.open(context);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A plugin's diagnostic, which was asked once what it is. */
    private record NamedDiagnostic(String name, String summary, List<Setting<?>> parameters, Diagnostic diagnostic)
            implements Diagnostic {
        NamedDiagnostic {
            parameters = List.copyOf(parameters);
        }

        @Override
        public DiagnosticTable run(DiagnosticRequest request) {
            return diagnostic.run(request);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}

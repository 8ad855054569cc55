package io.enipam.pluginhost.load;

import io.enipam.pluginhost.load.EntryPoint.PluginStepRunner;
import io.enipam.pluginhost.load.PluginLoader.PluginLoadException;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
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
        return named(
                "resourceFactories()",
                plugin::resourceFactories,
                ResourceFactoryProvider::name,
                (name, factory) -> ResourceFactoryProvider.of(name, factory::open));
    }

    List<PoolPolicyProvider> policies(IpamPlugin plugin) throws PluginLoadException {
        return named(
                "poolPolicies()",
                plugin::poolPolicies,
                PoolPolicyProvider::name,
                (name, policy) -> PoolPolicyProvider.of(name, policy::open));
    }

    List<Diagnostic> diagnostics(IpamPlugin plugin) throws PluginLoadException {
        String what = "diagnostics()";
        return named(
                what,
                plugin::diagnostics,
                Diagnostic::name,
                (name, diagnostic) -> Diagnostic.of(
                        name,
                        given(what, name + ".summary()", diagnostic.summary()),
                        settings(what + ": " + name + ".parameters()", diagnostic::parameters),
                        diagnostic::run));
    }

    /** A list of things with different names; of each a copy is made that need not be asked for its name again. */
    private <T> List<T> named(
            String what, Callable<@Nullable List<T>> call, Function<T, @Nullable String> nameOf, Copier<T> copier)
            throws PluginLoadException {
        List<T> found = list(what, call);
        return steps.take(what, () -> {
            Set<String> names = new HashSet<>();
            List<T> named = new ArrayList<>();
            for (T each : found) {
                named.add(copier.copy(name(what, names, nameOf.apply(each)), each));
            }
            return named;
        });
    }

    private interface Copier<T> {
        T copy(String name, T original) throws PluginLoadException;
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
}

package io.enipam.daemon.plugin.load;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes the plugin's instance and asks it what it brings. Runs the plugin's code, so on a thread that may be lost. */
final class PluginAssembly {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final int MOST = 1_000;

    private final PluginFiles files;
    private final PluginManifest manifest;
    private final PluginClassLoader loader;

    PluginAssembly(PluginFiles files, PluginManifest manifest, PluginClassLoader loader) {
        this.files = files;
        this.manifest = manifest;
        this.loader = loader;
    }

    String id() {
        return manifest.id();
    }

    PluginClassLoader loader() {
        return loader;
    }

    LoadedPlugin assemble() throws PluginRejection {
        IpamPlugin plugin = instance();
        List<LoadedDiagnostic> diagnostics = new ArrayList<>();
        byName("diagnostic", plugin.diagnostics(), Diagnostic::name)
                .forEach((name, diagnostic) -> diagnostics.add(described(name, diagnostic)));
        for (LoadedDiagnostic diagnostic : diagnostics) {
            settings("parameter of diagnostic " + diagnostic.name(), diagnostic.parameters());
        }
        return new LoadedPlugin(
                manifest,
                files.source(),
                loader,
                settings("setting", plugin.settings()),
                Collections.unmodifiableSortedMap(
                        byName("factory", plugin.resourceFactories(), ResourceFactoryProvider::name)),
                Collections.unmodifiableSortedMap(byName("policy", plugin.poolPolicies(), PoolPolicyProvider::name)),
                diagnostics);
    }

    private IpamPlugin instance() throws PluginRejection {
        List<ServiceLoader.Provider<IpamPlugin>> named =
                ServiceLoader.load(IpamPlugin.class, loader).stream().toList();
        if (named.size() != 1) {
            throw new PluginRejection("META-INF/services/" + IpamPlugin.class.getName()
                    + " shall name one class, and names " + (named.isEmpty() ? "none" : named.size()));
        }
        return named.get(0).get();
    }

    private static LoadedDiagnostic described(String name, Diagnostic diagnostic) {
        return new LoadedDiagnostic(
                name,
                present("the summary of diagnostic " + name, diagnostic.summary()),
                List.copyOf(present("the parameters of diagnostic " + name, diagnostic.parameters())),
                diagnostic);
    }

    private static List<Setting<?>> settings(String what, @Nullable List<Setting<?>> declared) throws PluginRejection {
        List<Setting<?>> settings = bounded(what, declared);
        Set<String> names = new HashSet<>();
        for (Setting<?> setting : settings) {
            if (!names.add(present("a " + what, setting).name())) {
                throw new PluginRejection("it declares the " + what + " '" + setting.name() + "' twice");
            }
        }
        return settings;
    }

    private static <T> SortedMap<String, T> byName(String what, @Nullable List<T> parts, Function<T, String> nameOf)
            throws PluginRejection {
        SortedMap<String, T> map = new TreeMap<>();
        for (T part : bounded(what, parts)) {
            String name = present("the name of a " + what, nameOf.apply(present("a " + what, part)));
            if (!NAME.matcher(name).matches()) {
                throw new PluginRejection(
                        "the name of its " + what + " '" + printable(name) + "' does not match " + NAME);
            }
            if (map.put(name, part) != null) {
                throw new PluginRejection("it brings the " + what + " '" + name + "' twice");
            }
        }
        return map;
    }

    private static <T> List<T> bounded(String what, @Nullable List<T> list) throws PluginRejection {
        List<T> present = present("the list of every " + what, list);
        if (present.size() > MOST) {
            throw new PluginRejection(
                    "it brings " + present.size() + " times a " + what + ", and " + MOST + " are allowed");
        }
        return new ArrayList<>(present);
    }

    private static <T> T present(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException(what + " is null");
        }
        return value;
    }

    private static String printable(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 64 ? clean : clean.substring(0, 61) + "...";
    }
}

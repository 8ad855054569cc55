package io.enipam.pluginhost;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What is in force, kept over a restart.
 *
 * <p>A swap outlives the daemon, but configuration that was changed afterwards wins: so the selection remembers what the
 * configuration said when it was made.
 *
 * @param leaving factories that still have resources out, or may have: they take back, and make nothing
 * @param configuredPolicy what the configuration named when the policy was chosen
 * @param configuredFactory what the configuration named when the factory was chosen
 */
record PluginSelection(
        String policy, String factory, List<String> leaving, String configuredPolicy, String configuredFactory) {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    PluginSelection {
        leaving = List.copyOf(leaving);
        Stream.concat(Stream.of(policy, factory, configuredPolicy, configuredFactory), leaving.stream())
                .filter(name -> !NAME.matcher(name).matches())
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("'" + name + "' is no name of a policy or factory");
                });
    }

    /** What the configuration says, and nothing else. */
    static PluginSelection configured(String policy, String factory) {
        return new PluginSelection(policy, factory, List.of(), policy, factory);
    }

    /**
     * This selection under a configuration that may have been changed since. A factory that the configuration replaces
     * leaves: what it made may still be out.
     */
    PluginSelection under(String policyNow, String factoryNow) {
        PluginSelection result = this;
        if (!policyNow.equals(configuredPolicy)) {
            result = result.withPolicy(policyNow);
        }
        if (!factoryNow.equals(configuredFactory)) {
            result = result.withFactory(factoryNow);
        }
        return new PluginSelection(result.policy, result.factory, result.leaving, policyNow, factoryNow);
    }

    PluginSelection withPolicy(String name) {
        return new PluginSelection(name, factory, leaving, configuredPolicy, configuredFactory);
    }

    /** Another factory makes resources from now on; the one before leaves. */
    PluginSelection withFactory(String name) {
        if (name.equals(factory)) {
            return this;
        }
        return new PluginSelection(
                policy, name, plus(without(leaving, name), factory), configuredPolicy, configuredFactory);
    }

    /** A factory may have made something without being in force. */
    PluginSelection withLeaving(String name) {
        return new PluginSelection(policy, factory, plus(leaving, name), configuredPolicy, configuredFactory);
    }

    PluginSelection withoutLeaving(String name) {
        return new PluginSelection(policy, factory, without(leaving, name), configuredPolicy, configuredFactory);
    }

    /** The selection in a file; empty if none was ever written. */
    static Optional<PluginSelection> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(file.toFile(), PluginSelection.class));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    file + " is damaged; remove it, and what the configuration names will be in force", e);
        }
    }

    /** Replaces the file as a whole, so that it is never half written. */
    void write(Path file) throws IOException {
        AtomicFile.write(file, JSON.writeValueAsBytes(this));
    }

    private static List<String> plus(List<String> names, String name) {
        return names.contains(name)
                ? names
                : Stream.concat(names.stream(), Stream.of(name)).toList();
    }

    private static List<String> without(List<String> names, String name) {
        return names.stream().filter(other -> !other.equals(name)).toList();
    }
}

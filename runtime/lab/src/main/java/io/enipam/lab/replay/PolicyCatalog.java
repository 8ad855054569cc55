package io.enipam.lab.replay;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.KnownPlugins;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.InstalledPlugins;
import io.enipam.pluginhost.load.LoadingRecord;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.SdkVersion;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The policies that can be replayed: the built-in one, and those of plugins, which are loaded as the daemon loads them. In a replay a
 * policy runs on a thread of the simulation and without the daemon's deadlines: one that hangs hangs the replay.
 */
public final class PolicyCatalog implements AutoCloseable {
    private static final Duration LOADING = Duration.ofSeconds(10);

    private final PluginCatalog plugins;
    /** Those of the caller's own class path. */
    private final List<IpamPlugin> given;

    /**
     * @param plugins jars, or directories of jars
     * @param examples the same, which give way to another plugin of their id
     */
    public PolicyCatalog(List<Path> plugins, List<Path> examples) {
        this(plugins, examples, List.of());
    }

    /** The policies of a plugin whose classes are the caller's, as in its own tests: no jar is there yet. */
    public static PolicyCatalog of(IpamPlugin plugin) {
        return new PolicyCatalog(List.of(), List.of(), List.of(plugin));
    }

    private PolicyCatalog(List<Path> plugins, List<Path> examples, List<IpamPlugin> given) {
        this.given = given;
        Set<String> reserved =
                Arrays.stream(EniUse.values()).map(EniUse::factory).collect(Collectors.toSet());
        reserved.add(WatermarkPolicy.NAME);
        this.plugins = PluginCatalog.find(
                new PluginSearchPath(Optional.empty(), plugins, ClassLoader.getPlatformClassLoader(), examples),
                SdkVersion.current(),
                reserved,
                LOADING,
                LoadingRecord.none());
    }

    /** What a configuration may name. */
    KnownPlugins known() {
        Set<String> factories = new HashSet<>();
        Arrays.stream(EniUse.values()).map(EniUse::factory).forEach(factories::add);
        return new KnownPlugins(new InstalledPlugins(plugins), Set.of(WatermarkPolicy.NAME), factories);
    }

    /**
     * Builds a policy anew, as each replay needs it.
     *
     * @throws IllegalArgumentException if there is none of that name, or it does not take the settings
     */
    PoolPolicy open(PolicyChoice choice, TimeSource time) {
        if (choice.name().equals(WatermarkPolicy.NAME)) {
            if (!choice.own().isEmpty()) {
                throw new IllegalArgumentException("watermark has no setting "
                        + String.join(", ", choice.own().keySet()) + "; it has min, max, capacity and cool_down");
            }
            return new WatermarkPolicy();
        }
        Found found = find(choice.name()).orElseThrow(() -> missing(choice));
        Map<String, List<String>> written = new HashMap<>();
        choice.own().forEach((name, value) -> written.put(name, List.of(value)));
        Settings settings;
        try {
            settings = Settings.of(found.settings(), written);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the settings of '" + choice.text() + "' are wrong: "
                            + String.valueOf(e.getMessage()).replace("\n", "; "),
                    e);
        }
        try {
            return found.provider().open(new Lent(settings, ((InstantSource) time::now).withZone(ZoneOffset.UTC)));
        } catch (FactoryException e) {
            throw new IllegalArgumentException("policy " + choice.name() + " cannot be opened: " + e.getMessage(), e);
        }
    }

    /** A policy, and the settings of its plugin. */
    private record Found(PoolPolicyProvider provider, List<Setting<?>> settings) {}

    private Optional<Found> find(String name) {
        Stream<Found> loaded = plugins.offering(name).stream()
                .flatMap(plugin ->
                        plugin.parts().policies().stream().map(provider -> new Found(provider, plugin.settings())));
        Stream<Found> own = given.stream()
                .flatMap(plugin ->
                        plugin.poolPolicies().stream().map(provider -> new Found(provider, plugin.settings())));
        return Stream.concat(own, loaded)
                .filter(found -> found.provider().name().equals(name))
                .findFirst();
    }

    private IllegalArgumentException missing(PolicyChoice choice) {
        Stream<PoolPolicyProvider> loaded =
                plugins.loadAll().plugins().stream().flatMap(plugin -> plugin.parts().policies().stream());
        Stream<PoolPolicyProvider> own = given.stream().flatMap(plugin -> plugin.poolPolicies().stream());
        String names = Stream.concat(own, loaded)
                .map(PoolPolicyProvider::name)
                .sorted()
                .collect(Collectors.joining(", "));
        String rejected = plugins.rejected().stream()
                .map(RejectedPlugin::cause)
                .map(cause -> "; not loaded: " + cause)
                .collect(Collectors.joining());
        return new IllegalArgumentException("there is no policy " + choice.name() + "; there are watermark"
                + (names.isEmpty() ? "" : ", " + names) + rejected);
    }

    @Override
    public void close() {
        plugins.close();
    }

    /** What a replay lends a policy: no directory, tables or factories. */
    private record Lent(Settings settings, Clock clock) implements PluginContext {
        @Override
        public Path directory() {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "a replay lends a policy no directory");
        }

        @Override
        public ResourceFactory factory(String name) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "a replay lends a policy no factory");
        }
    }
}

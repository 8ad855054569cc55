package io.enipam.deploy;

import io.enipam.config.ConfigException;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.ConfigReference;
import io.enipam.config.KnownPlugins;
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;

/** The daemon's own reader of settings. */
final class Settings {
    private Settings() {}

    /**
     * Reads both files as the daemon of a pod does.
     *
     * @return what it warns of
     * @throws AssertionError if it would not start with them
     */
    static List<String> warnings(Path eniJson, Path enipamYaml) {
        return warnings(
                List.of(
                        ConfigFile.usual(eniJson, SettingsFile.ENI_JSON),
                        ConfigFile.usual(enipamYaml, SettingsFile.ENIPAM_YAML)),
                Map.of(),
                KnownPlugins.none());
    }

    /**
     * Reads {@code cluster.yaml} as a daemon of role CLUSTER does that has the plugins of this class path.
     *
     * @return what it warns of
     * @throws AssertionError if it would not start with it
     */
    static List<String> warningsOfCluster(Path clusterYaml) {
        List<KnownPlugins.Plugin> plugins = ServiceLoader.load(IpamPlugin.class).stream()
                .map(ServiceLoader.Provider::get)
                .map(plugin -> {
                    Set<String> extensions =
                            plugin.extensions().stream().map(Extension::name).collect(Collectors.toSet());
                    return new KnownPlugins.Plugin("node-ipam", plugin.settings(), Set.of(), Set.of(), extensions);
                })
                .toList();
        KnownPlugins usual = KnownPlugins.none();
        return warnings(
                List.of(ConfigFile.usual(clusterYaml, SettingsFile.ENIPAM_YAML)),
                Map.of("daemon.role", "cluster"),
                new KnownPlugins(plugins, Set.of(), usual.policies(), usual.factories()));
    }

    private static List<String> warnings(List<ConfigFile> files, Map<String, String> overrides, KnownPlugins known) {
        try {
            return List.copyOf(ConfigLoader.load(files, false, overrides, known).warnings());
        } catch (ConfigException e) {
            throw new AssertionError(e.problems().toString(), e);
        }
    }

    /** The default of a setting, as the reference prints it: outside of a sandbox. Empty if there is no such setting. */
    static Optional<String> usual(String key) {
        return ConfigReference.markdown(KnownPlugins.none()).stream()
                .filter(line -> line.startsWith("| `" + key + "` |"))
                .findFirst()
                .map(row -> row.split("\\|", -1)[2].strip().replace("`", "").replaceFirst(" \\(sandbox: .*", ""));
    }
}

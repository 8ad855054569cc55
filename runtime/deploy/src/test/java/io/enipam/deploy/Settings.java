package io.enipam.deploy;

import io.enipam.config.ConfigException;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.ConfigReference;
import io.enipam.config.KnownPlugins;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
        try {
            return List.copyOf(ConfigLoader.load(
                            List.of(
                                    ConfigFile.usual(eniJson, SettingsFile.ENI_JSON),
                                    ConfigFile.usual(enipamYaml, SettingsFile.ENIPAM_YAML)),
                            false,
                            Map.of(),
                            KnownPlugins.none())
                    .warnings());
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

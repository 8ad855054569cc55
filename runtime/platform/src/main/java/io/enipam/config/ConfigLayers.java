package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the configuration is made of, and can be made of again with something else laid over it: the files as they were when they
 * were read, and the command line. A file that changes on disk counts with the next start.
 *
 * @param files a later one wins over an earlier one of its kind
 * @param sandbox whether the cloud is emulated
 * @param overrides settings by key, as given on the command line
 * @param known the plugins, whose settings and names the files may use
 * @param places the paths, by key, of what has no path in the files and on the command line
 */
record ConfigLayers(
        List<Layer> files,
        boolean sandbox,
        Map<String, String> overrides,
        KnownPlugins known,
        Map<String, String> places) {
    /** What one file says. */
    record Layer(SettingsFile kind, String source, JsonNode root) {}

    static ConfigLayers read(
            List<ConfigFile> files,
            boolean sandbox,
            Map<String, String> overrides,
            KnownPlugins known,
            List<ConfigProblem> problems) {
        List<Layer> layers = new ArrayList<>();
        files.forEach(file -> new ConfigFileReader(file, problems)
                .read()
                .ifPresent(root -> layers.add(new Layer(file.kind(), file.path().toString(), root))));
        return new ConfigLayers(List.copyOf(layers), sandbox, Map.copyOf(overrides), known, Map.of());
    }

    ConfigLayers withDefaultPaths(Map<String, String> paths) {
        return new ConfigLayers(files, sandbox, overrides, known, Map.copyOf(paths));
    }

    void readInto(SettingValues values, PluginSections plugins, List<ConfigProblem> problems) {
        files.forEach(file -> new SettingsReader(file.kind(), file.source(), file.source(), values, plugins, problems)
                .read(file.root()));
    }
}

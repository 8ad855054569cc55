package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Holds what is written against the settings table, collecting values and problems. */
class SettingsReader {
    private final SettingsFile kind;
    private final String source;
    private final String place;
    private final SettingValues values;
    private final PluginSections plugins;
    private final List<ConfigProblem> problems;

    /**
     * @param kind what it speaks
     * @param source where the values are from, for people
     * @param place where a mistake is to be corrected
     */
    SettingsReader(
            SettingsFile kind,
            String source,
            String place,
            SettingValues values,
            PluginSections plugins,
            List<ConfigProblem> problems) {
        this.kind = kind;
        this.source = source;
        this.place = place;
        this.values = values;
        this.plugins = plugins;
        this.problems = problems;
    }

    /** Takes every setting of a map. */
    final void read(JsonNode root) {
        section("", root);
    }

    private void section(String prefix, JsonNode node) {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String key = prefix + field.getKey();
            Optional<Setting<?>> setting = Schema.ALL.stream()
                    .filter(s -> s.file() == kind && s.key().equals(key))
                    .findFirst();
            if (kind == SettingsFile.ENIPAM_YAML && key.equals(PluginSections.KEY)) {
                plugins.read(field.getValue(), source, this::problem);
            } else if (setting.isPresent()) {
                value(setting.get(), field.getValue());
            } else if (field.getValue().isObject() && isSection(key)) {
                section(key + ".", field.getValue());
            } else if (isSection(key)) {
                if (!field.getValue().isNull()) {
                    problem(key + ": a section of settings belongs here, not a single value");
                }
            } else {
                unknown(key);
            }
        }
    }

    private boolean isSection(String key) {
        return Schema.ALL.stream().anyMatch(s -> s.file() == kind && s.key().startsWith(key + "."));
    }

    /** Takes a value. */
    <T> void value(Setting<T> setting, JsonNode node) {
        try {
            values.set(setting, setting.type().read(node), source, node);
        } catch (IllegalArgumentException e) {
            // the reader's words are for programmers; the table says what is allowed
            String shown = setting.secret() ? "***" : Printable.abbreviated(node);
            problem(setting.key() + ": '" + shown + "' is not allowed; allowed is " + setting.allowed());
        }
    }

    private void unknown(String key) {
        String shown = Printable.abbreviated(key);
        Optional<Setting<?>> elsewhere =
                Schema.ALL.stream().filter(s -> s.key().equals(key)).findFirst();
        if (elsewhere.isPresent()) {
            problem(shown + ": unknown key here; it belongs in "
                    + elsewhere.get().file().usualName());
            return;
        }
        List<String> known = Schema.ALL.stream()
                .filter(s -> s.file() == kind)
                .<String>map(Setting::key)
                .toList();
        problem(shown + ": unknown key"
                + NearestName.of(key, known)
                        .map(name -> "; did you mean " + name + "?")
                        .orElse(""));
    }

    final void problem(String message) {
        problems.add(new ConfigProblem(place, message));
    }

    final String source() {
        return source;
    }

    final SettingValues values() {
        return values;
    }
}

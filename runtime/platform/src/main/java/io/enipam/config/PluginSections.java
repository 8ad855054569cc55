package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Setting.Shape;
import io.enipam.sdk.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The section {@value #KEY} of enipam.yaml: the settings of each plugin under its id, validated against the plugin's
 * schema. Not thread-safe while a file is read into it.
 */
final class PluginSections {
    static final String KEY = "plugins";

    private final KnownPlugins known;
    /** By full key. */
    private final Map<String, Written> written = new HashMap<>();

    /** Plugins that could not be loaded when their section was read. */
    private final Set<String> unchecked = new HashSet<>();

    private record Written(List<String> texts, String source) {}

    PluginSections(KnownPlugins known) {
        this.known = known;
    }

    /** Reads the section of one file; its values replace those of earlier files. The consumer gets each error. */
    void read(JsonNode section, String source, Consumer<String> problem) {
        if (section.isNull()) {
            return;
        }
        if (!section.isObject()) {
            problem.accept(KEY + ": settings by plugin belong here, not a single value");
            return;
        }
        section.properties().forEach(plugin -> plugin(plugin.getKey(), plugin.getValue(), source, problem));
    }

    private void plugin(String id, JsonNode node, String source, Consumer<String> problem) {
        Optional<KnownPlugins.Plugin> schema = known.installed().find(id);
        if (schema.isEmpty()) {
            if (known.installed().rejected().contains(id)) {
                unchecked.add(id);
                return;
            }
            problem.accept(KEY + "." + SettingsReader.abbreviated(id) + ": there is no such plugin"
                    + NearestName.hint(
                            id,
                            known.installed().ids(),
                            "; put it into the plugins directory, or take these settings out"));
        } else if (node.isObject()) {
            node.properties()
                    .forEach(field -> setting(schema.get(), field.getKey(), field.getValue(), source, problem));
        } else if (!node.isNull()) {
            problem.accept(KEY + "." + id + ": settings of the plugin belong here, not a single value");
        }
    }

    private void setting(
            KnownPlugins.Plugin plugin, String name, JsonNode node, String source, Consumer<String> problem) {
        String key = key(plugin.id(), SettingsReader.abbreviated(name));
        Optional<Setting<?>> setting = plugin.settings().stream()
                .filter(declared -> declared.name().equals(name))
                .findFirst();
        if (setting.isEmpty()) {
            List<String> names = plugin.settings().stream().map(Setting::name).toList();
            problem.accept(key + ": unknown key"
                    + NearestName.hint(name, names, "; 'plugin info " + plugin.id() + "' lists the settings"));
            return;
        }
        try {
            List<String> texts = texts(node, setting.get().shape());
            setting.get().read(texts);
            written.put(key(plugin.id(), name), new Written(texts, source));
        } catch (IllegalArgumentException e) {
            // the reader's message is for programmers; the schema says what is allowed
            String shown = setting.get().isSecret() ? "***" : SettingsReader.abbreviated(node);
            problem.accept(key + ": '" + shown + "' is not allowed; allowed is "
                    + setting.get().allowed());
        }
    }

    private static List<String> texts(JsonNode node, Shape shape) {
        return switch (shape) {
            case SCALAR -> List.of(text(node));
            case LIST -> parts(node).map(PluginSections::text).toList();
            case MAP ->
                pairs(node).entrySet().stream()
                        .map(entry -> Setting.written(Map.of(entry.getKey(), entry.getValue())))
                        .toList();
            case RECORDS ->
                parts(node).map(record -> Setting.written(pairs(record))).toList();
        };
    }

    /** One value counts as a list of one. */
    private static Stream<JsonNode> parts(JsonNode node) {
        return node.isArray() ? StreamSupport.stream(node.spliterator(), false) : Stream.of(node);
    }

    private static Map<String, String> pairs(JsonNode node) {
        if (!node.isObject()) {
            throw new IllegalArgumentException("not a map");
        }
        Map<String, String> pairs = new LinkedHashMap<>();
        node.properties().forEach(field -> pairs.put(field.getKey(), text(field.getValue())));
        return pairs;
    }

    private static String text(JsonNode value) {
        if (!value.isValueNode() || value.isNull()) {
            throw new IllegalArgumentException("not a plain value");
        }
        return value.asText();
    }

    /** Whether a file has settings of this plugin that were not read, since it could not be loaded. */
    boolean unchecked(String id) {
        return unchecked.contains(id);
    }

    /** The values in force of one plugin; throws {@link IllegalArgumentException} for one that the schema does not allow. */
    Settings settings(String id, List<Setting<?>> schema) {
        Map<String, List<String>> texts = new HashMap<>();
        schema.forEach(setting -> texts(key(id, setting.name())).ifPresent(set -> texts.put(setting.name(), set)));
        return Settings.of(schema, texts);
    }

    String source(String id, String name) {
        return Optional.ofNullable(written.get(key(id, name)))
                .map(Written::source)
                .orElse(SettingValues.DEFAULT);
    }

    List<DaemonConfig.Entry> entries() {
        List<DaemonConfig.Entry> entries = new ArrayList<>();
        for (KnownPlugins.Plugin plugin : known.installed().plugins()) {
            Settings settings = settings(plugin.id(), plugin.settings());
            plugin.settings().forEach(setting -> entries.add(entry(plugin.id(), setting, settings)));
        }
        return entries;
    }

    private <T> DaemonConfig.Entry entry(String id, Setting<T> setting, Settings settings) {
        return new DaemonConfig.Entry(
                key(id, setting.name()),
                setting.show(settings.get(setting)),
                source(id, setting.name()),
                (setting.doc() + " Allowed: " + setting.allowed() + ".").strip());
    }

    /** The settings that need a restart and whose values differ in the next configuration, with the new values. */
    List<DaemonConfig.Pending> pending(PluginSections next) {
        Set<String> live = liveKeys();
        return next.differing(this).stream()
                .filter(entry -> !live.contains(entry.key()))
                .map(entry -> new DaemonConfig.Pending(entry.key(), entry.value(), entry.source()))
                .toList();
    }

    /** The settings whose values here differ from those of another one. */
    List<DaemonConfig.Entry> differing(PluginSections other) {
        return entries().stream()
                .filter(entry -> !texts(entry.key()).equals(other.texts(entry.key())))
                .toList();
    }

    /** These with what is live from another one. */
    PluginSections withLive(PluginSections next) {
        Set<String> live = liveKeys();
        PluginSections mixed = new PluginSections(known);
        mixed.unchecked.addAll(unchecked);
        written.forEach((key, value) -> {
            if (!live.contains(key)) {
                mixed.written.put(key, value);
            }
        });
        live.forEach(key -> Optional.ofNullable(next.written.get(key)).ifPresent(it -> mixed.written.put(key, it)));
        return mixed;
    }

    private Set<String> liveKeys() {
        return known.installed().plugins().stream()
                .flatMap(plugin -> plugin.settings().stream()
                        .filter(setting -> setting.isLive() || plugin.isLive())
                        .map(setting -> key(plugin.id(), setting.name())))
                .collect(Collectors.toSet());
    }

    /** The source of a setting by its full key; empty if the default applies. */
    private Optional<List<String>> texts(String key) {
        return Optional.ofNullable(written.get(key)).map(Written::texts);
    }

    private static String key(String id, String name) {
        return KEY + "." + id + "." + name;
    }
}

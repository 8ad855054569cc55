package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.RemoteConfig.Overlay;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Validates input against the settings table and collects values and problems. */
class SettingsReader {
    private static final int LONGEST_QUOTE = 64;

    private final SettingsFile kind;
    private final String source;
    private final String place;
    private final SettingValues values;
    private final PluginSections plugins;
    private final List<ConfigProblem> problems;

    /** @param place where an error must be corrected */
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

    final void read(JsonNode root) {
        section("", root);
    }

    private void section(String prefix, JsonNode node) {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String key = prefix + field.getKey();
            Optional<Setting<?>> setting = Schema.find(key).filter(found -> found.file() == kind);
            if (kind == SettingsFile.ENIPAM_YAML && key.equals(PluginSections.KEY)) {
                plugins.read(field.getValue(), source, this::problem);
            } else if (setting.isPresent()) {
                value(setting.get(), field.getValue());
            } else if (!isSection(key)) {
                unknown(key);
            } else if (field.getValue().isObject()) {
                section(key + ".", field.getValue());
            } else if (!field.getValue().isNull()) {
                problem(key + ": a section of settings belongs here, not a single value");
            }
        }
    }

    private boolean isSection(String key) {
        return Schema.ALL.stream().anyMatch(s -> s.file() == kind && s.key().startsWith(key + "."));
    }

    <T> void value(Setting<T> setting, JsonNode node) {
        try {
            values.set(setting, setting.type().read(node), source, node);
        } catch (IllegalArgumentException e) {
            // the reader's message is for programmers; the table says what is allowed
            String shown = setting.secret() ? "***" : abbreviated(node);
            problem(setting.key() + ": '" + shown + "' is not allowed; allowed is " + setting.allowed());
        }
    }

    private void unknown(String key) {
        List<String> known = Schema.ALL.stream()
                .filter(s -> s.file() == kind)
                .<String>map(Setting::key)
                .toList();
        problem(abbreviated(key) + ": unknown key"
                + Schema.find(key)
                        .map(elsewhere ->
                                " here; it belongs in " + elsewhere.file().usualName())
                        .orElseGet(() -> NearestName.hint(key, known, "")));
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

    /** A value that an error may quote: short, and without control characters or half surrogates. */
    static String abbreviated(String text) {
        String printable =
                new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= LONGEST_QUOTE ? printable : printable.substring(0, LONGEST_QUOTE - 3) + "...";
    }

    static String abbreviated(JsonNode node) {
        return abbreviated(node.isTextual() ? node.textValue() : node.toString());
    }

    /**
     * Merges one JSON value into another, as terway does with a ConfigMap: maps are merged key by key, null removes a
     * key, anything else replaces the former value.
     *
     * @return a new value; neither argument is changed
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7396">RFC 7396</a>
     */
    static JsonNode merge(JsonNode base, JsonNode patch) {
        if (!patch.isObject()) {
            return patch.deepCopy();
        }
        ObjectNode merged = base.isObject() ? base.deepCopy() : JsonNodeFactory.instance.objectNode();
        patch.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                merged.remove(field.getKey());
            } else {
                merged.set(field.getKey(), merge(merged.path(field.getKey()), field.getValue()));
            }
        });
        return merged;
    }

    /**
     * Merges a ConfigMap into the files' values by RFC 7396, limited to the settings that a ConfigMap may change.
     * Repeating another setting with the same value is accepted, since users copy whole files.
     */
    static final class OverlayReader extends SettingsReader {
        private OverlayReader(
                SettingsFile kind,
                String key,
                Overlay overlay,
                SettingValues values,
                PluginSections plugins,
                List<ConfigProblem> problems) {
            super(kind, overlay.source(), overlay.source() + " key " + key, values, plugins, problems);
        }

        static void read(Overlay overlay, SettingValues values, PluginSections plugins, List<ConfigProblem> problems) {
            if (overlay.eniConf().isEmpty() && overlay.enipamYaml().isEmpty()) {
                problems.add(new ConfigProblem(
                        overlay.source(),
                        "has neither the key " + Overlay.ENI_CONF + " nor " + Overlay.ENIPAM_YAML
                                + ", so it says nothing"));
            }
            SettingsFile json = SettingsFile.ENI_JSON;
            SettingsFile yaml = SettingsFile.ENIPAM_YAML;
            overlay.eniConf()
                    .ifPresent(text -> new OverlayReader(json, Overlay.ENI_CONF, overlay, values, plugins, problems)
                            .read(json, text));
            overlay.enipamYaml()
                    .ifPresent(text -> new OverlayReader(yaml, Overlay.ENIPAM_YAML, overlay, values, plugins, problems)
                            .read(yaml, text));
        }

        private void read(SettingsFile kind, String text) {
            ConfigFile.parse(kind, text.getBytes(StandardCharsets.UTF_8), this::problem)
                    .ifPresent(this::read);
        }

        @Override
        <T> void value(Setting<T> setting, JsonNode node) {
            JsonNode before = values().written(setting);
            JsonNode merged = node.isNull() ? node : merge(before, node);
            Optional<String> objection = setting.objection();
            if (objection.isPresent()) {
                if (!(node.isNull() ? before.isMissingNode() : merged.equals(before))) {
                    problem(setting.key() + ": a ConfigMap may not change it: " + objection.get()
                            + "; set it in a file on the node");
                }
                return;
            }
            if (node.isNull()) {
                values().unset(setting);
                return;
            }
            // a ConfigMap overrides the files, whichever name a file uses
            setting.sameAs().ifPresent(main -> {
                if (!values().isFrom(main, source())) {
                    values().unset(main);
                }
            });
            super.value(setting, merged);
        }
    }
}

package io.enipam.daemon.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one file against the settings table, collecting values and problems. */
final class ConfigFileReader {
    /** Nobody writes a longer one: what is longer is some other file, or an attack. */
    static final int LONGEST = 1 << 20;

    private final ConfigFile file;
    private final SettingValues values;
    private final PluginSections plugins;
    private final List<Problem> problems;

    ConfigFileReader(ConfigFile file, SettingValues values, PluginSections plugins, List<Problem> problems) {
        this.file = file;
        this.values = values;
        this.plugins = plugins;
        this.problems = problems;
    }

    void read() {
        Optional<byte[]> bytes = bytes();
        if (bytes.isEmpty()) {
            return;
        }
        try {
            JsonNode root = mapper().readTree(bytes.get());
            if (root.isMissingNode() || root.isNull()) {
                return;
            }
            if (!root.isObject()) {
                problem("the top level is not a map of settings");
                return;
            }
            object("", root);
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            String place = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            problem("not valid " + (file.kind() == SettingsFile.ENI_JSON ? "JSON" : "YAML") + place + ": "
                    + firstLine(e.getOriginalMessage()));
        } catch (IOException e) {
            problem("cannot be read: " + IoReason.of(e));
        }
    }

    private static boolean belowAFile(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                return !Files.isDirectory(above);
            }
        }
        return false;
    }

    private Optional<byte[]> bytes() {
        try {
            if (!file.required() && belowAFile(file.path())) {
                return Optional.empty(); // whoever needs that directory says better what is wrong with it
            }
            if (Files.isDirectory(file.path())) {
                problem("is a directory, not a file");
                return Optional.empty();
            }
            try (var in = Files.newInputStream(file.path())) {
                byte[] bytes = in.readNBytes(LONGEST + 1);
                if (bytes.length > LONGEST) {
                    problem("is longer than 1 MiB, the most a configuration may have");
                    return Optional.empty();
                }
                return Optional.of(bytes);
            }
        } catch (NoSuchFileException e) {
            if (file.required()) {
                problem("there is no such file");
            }
        } catch (IOException e) {
            problem("cannot be read: " + IoReason.of(e));
        }
        return Optional.empty();
    }

    private ObjectMapper mapper() {
        ObjectMapper mapper = file.kind() == SettingsFile.ENI_JSON
                ? JsonMapper.builder()
                        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                        .build()
                : YAMLMapper.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build();
        return mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                // without this the parser quotes the text around an error, which may be a secret
                .configure(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION, false);
    }

    private void object(String prefix, JsonNode node) {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String key = prefix + field.getKey();
            Optional<Setting<?>> setting = Schema.ALL.stream()
                    .filter(s -> s.file() == file.kind() && s.key().equals(key))
                    .findFirst();
            if (file.kind() == SettingsFile.ENIPAM_YAML && key.equals(PluginSections.KEY)) {
                plugins.read(field.getValue(), file.path().toString(), this::problem);
            } else if (setting.isPresent()) {
                value(setting.get(), field.getValue());
            } else if (field.getValue().isObject() && isSection(key)) {
                object(key + ".", field.getValue());
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
        return Schema.ALL.stream()
                .anyMatch(s -> s.file() == file.kind() && s.key().startsWith(key + "."));
    }

    private <T> void value(Setting<T> setting, JsonNode node) {
        try {
            values.set(setting, setting.type().read(node), file.path().toString());
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
                .filter(s -> s.file() == file.kind())
                .<String>map(Setting::key)
                .toList();
        problem(shown + ": unknown key"
                + NearestName.of(key, known)
                        .map(name -> "; did you mean " + name + "?")
                        .orElse(""));
    }

    private void problem(String message) {
        problems.add(new Problem(file.path().toString(), message));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}

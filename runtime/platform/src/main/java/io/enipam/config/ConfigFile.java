package io.enipam.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.enipam.config.ConfigException.ConfigProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A file to read.
 *
 * @param kind which names it uses
 * @param required whether it is a problem if it does not exist
 */
public record ConfigFile(Path path, SettingsFile kind, boolean required) {
    /** A longer file is no configuration, or an attack. */
    static final int LONGEST = 1 << 20;

    /** A file named on the command line; it must exist. */
    public static ConfigFile named(Path path) {
        return new ConfigFile(path, SettingsFile.ofName(path.toString()), true);
    }

    /** A file at its default path; it may be absent. */
    public static ConfigFile usual(Path path, SettingsFile kind) {
        return new ConfigFile(path, kind, false);
    }

    /** Reads the file and adds its errors to the problems; empty if the file is absent, empty or invalid. */
    Optional<JsonNode> read(List<ConfigProblem> problems) {
        Consumer<String> problem = message -> problems.add(new ConfigProblem(path.toString(), message));
        return bytes(problem).flatMap(bytes -> parse(kind, bytes, problem));
    }

    private static boolean belowAFile(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                return !Files.isDirectory(above);
            }
        }
        return false;
    }

    private Optional<byte[]> bytes(Consumer<String> problem) {
        try {
            if (!required && belowAFile(path)) {
                return Optional.empty(); // the part that needs that directory reports what is wrong with it
            }
            if (Files.isDirectory(path)) {
                problem.accept("is a directory, not a file");
                return Optional.empty();
            }
            try (var in = Files.newInputStream(path)) {
                return Optional.of(in.readNBytes(LONGEST + 1));
            }
        } catch (NoSuchFileException e) {
            if (required) {
                problem.accept("there is no such file");
            }
        } catch (IOException e) {
            problem.accept("cannot be read: " + IoReason.of(e));
        }
        return Optional.empty();
    }

    /** Parses a configuration; empty if the text is empty or invalid. No error quotes it: it may be a secret. */
    static Optional<JsonNode> parse(SettingsFile kind, byte[] text, Consumer<String> problem) {
        if (text.length > LONGEST) {
            problem.accept("is longer than 1 MiB, the most a configuration may have");
            return Optional.empty();
        }
        try {
            JsonNode root = mapper(kind).readTree(text);
            if (root.isMissingNode() || root.isNull()) {
                return Optional.empty();
            }
            if (!root.isObject()) {
                problem.accept("the top level is not a map of settings");
                return Optional.empty();
            }
            return Optional.of(root);
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            String place = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            problem.accept("not valid " + (kind == SettingsFile.ENI_JSON ? "JSON" : "YAML") + place + ": "
                    + e.getOriginalMessage().lines().findFirst().orElse(""));
        } catch (IOException e) {
            problem.accept("cannot be read: " + IoReason.of(e));
        }
        return Optional.empty();
    }

    private static ObjectMapper mapper(SettingsFile kind) {
        ObjectMapper mapper = kind == SettingsFile.ENI_JSON
                ? JsonMapper.builder()
                        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                        .build()
                : YAMLMapper.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build();
        return mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                // otherwise the parser quotes the text around an error, which may be a secret
                .configure(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION, false);
    }

    /** The two kinds of configuration file, by the names they use. */
    public enum SettingsFile {
        /** Terway's file with terway's names, JSON. */
        ENI_JSON("eni.json"),
        /** enipam's own file, YAML. */
        ENIPAM_YAML("enipam.yaml");

        private final String usualName;

        SettingsFile(String usualName) {
            this.usualName = usualName;
        }

        public String usualName() {
            return usualName;
        }

        /** The kind of a file given on the command line: {@code *.json} is terway's, everything else is ours. */
        public static SettingsFile ofName(String fileName) {
            return fileName.endsWith(".json") ? ENI_JSON : ENIPAM_YAML;
        }
    }
}

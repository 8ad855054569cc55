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
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Parses what a configuration says, wherever it was written. */
final class ConfigParser {
    /** Nobody writes a longer one: what is longer is some other file, or an attack. */
    static final int LONGEST = 1 << 20;

    private ConfigParser() {}

    /**
     * @param problem told what is wrong with it; no text of it is quoted, since that may be a secret
     * @return a map of settings; empty if it says nothing, or is wrong
     */
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
                // without this the parser quotes the text around an error, which may be a secret
                .configure(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION, false);
    }
}

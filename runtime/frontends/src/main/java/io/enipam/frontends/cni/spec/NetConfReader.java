package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads what the daemon knows out of a configuration, which may be 16 MiB of anything: other keys are passed over
 * without being kept. Thread-safe.
 */
final class NetConfReader {
    /**
     * What one key may hold: a tree takes ten times the memory of its text. A collection of 10,000 sandboxes has
     * 60,000.
     */
    private static final int MOST_TOKENS = 200_000;

    /** What the parser names is what it could not read. */
    private static final Pattern EXCERPT = Pattern.compile("^(Unrecognized token) '.*?'(?=:)", Pattern.DOTALL);

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(200)
                            .maxStringLength(1 << 20)
                            .maxNameLength(50_000)
                            .maxNumberLength(1_000)
                            .build())
                    // an excerpt of the configuration has no place in a message
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build())
            .build();

    private NetConfReader() {}

    /**
     * The values of some keys of the object that a text is; the last one where a key comes twice.
     *
     * @throws CniException code 6 if it is no JSON object and nothing else, or larger or deeper than any configuration
     *     needs
     */
    static Map<String, JsonNode> read(byte[] text, Set<String> keys) {
        try (JsonParser parser = MAPPER.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw undecodable(text.length == 0 ? "there is none" : "it is no JSON object");
            }
            Map<String, JsonNode> found = new TreeMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                parser.nextToken();
                if (keys.contains(key)) {
                    found.put(key, tree(parser, key));
                } else {
                    parser.skipChildren();
                }
            }
            if (parser.nextToken() != null) {
                throw undecodable("something follows the JSON object");
            }
            return found;
        } catch (JsonProcessingException e) {
            throw undecodable(withoutExcerpts(e.getOriginalMessage())
                    + (e.getLocation() == null
                            ? ""
                            : " at line " + e.getLocation().getLineNr() + ", column "
                                    + e.getLocation().getColumnNr()));
        } catch (IOException e) {
            throw undecodable(String.valueOf(e.getMessage()));
        }
    }

    private static JsonNode tree(JsonParser parser, String key) throws IOException {
        return MAPPER.readTree(new JsonParserDelegate(parser) {
            private int tokens;

            @Override
            public JsonToken nextToken() throws IOException {
                return counted(super.nextToken());
            }

            private JsonToken counted(JsonToken token) {
                tokens++;
                if (tokens > MOST_TOKENS) {
                    throw undecodable(key + " has more than " + MOST_TOKENS + " parts");
                }
                return token;
            }
        });
    }

    /** A piece of a configuration may be a secret that lacks its quotes. */
    private static String withoutExcerpts(String message) {
        return EXCERPT.matcher(message).replaceFirst("$1").replaceAll(" \\(start marker at .*\\)", "");
    }

    private static CniException undecodable(String why) {
        String line = why.lines().findFirst().orElse("");
        return new CniException(
                CniErrorCode.DECODE_FAILURE,
                "the network configuration on standard input cannot be read: "
                        + line.substring(0, Math.min(line.length(), 300)),
                "correct the network's file in the runtime's configuration directory, usually /etc/cni/net.d");
    }

    static Optional<JsonNode> object(JsonNode node, String key) {
        return of(node, node.isObject(), key, "an object");
    }

    static Optional<String> text(JsonNode node, String key) {
        return of(node, node.isTextual(), key, "text").map(JsonNode::textValue);
    }

    static OptionalLong number(JsonNode node, String key, long least, long most) {
        boolean right = node.isIntegralNumber()
                && node.canConvertToLong()
                && node.longValue() >= least
                && node.longValue() <= most;
        String range = most == Long.MAX_VALUE ? "of " + least + " or more" : "from " + least + " to " + most;
        Optional<JsonNode> found = of(node, right, key, "a whole number " + range);
        return found.isPresent() ? OptionalLong.of(found.get().longValue()) : OptionalLong.empty();
    }

    static List<JsonNode> array(JsonNode node, String key) {
        List<JsonNode> all = new ArrayList<>();
        of(node, node.isArray(), key, "an array").ifPresent(array -> array.forEach(all::add));
        return all;
    }

    static List<String> texts(JsonNode node, String key) {
        List<String> all = new ArrayList<>();
        for (JsonNode element : array(node, key)) {
            all.add(text(element, key + "[" + all.size() + "]").orElse(""));
        }
        return all;
    }

    static CniException wrong(JsonNode node, String key, String expected) {
        String value = node.isTextual() ? CniException.quoted(node.textValue()) : shown(node);
        if (node.isMissingNode()) {
            return CniException.config(key + " is missing: " + expected + " is expected");
        }
        return CniException.config(key + " is " + value + ", which is not " + expected);
    }

    private static String shown(JsonNode node) {
        if (node.isContainerNode()) {
            return node.isArray() ? "an array" : "an object";
        }
        String text = node.asText();
        return text.length() > 64 ? text.substring(0, 64) + "…" : text;
    }

    private static Optional<JsonNode> of(JsonNode node, boolean right, String key, String expected) {
        if (node.isMissingNode() || node.isNull()) {
            return Optional.empty();
        }
        if (!right) {
            throw wrong(node, key, expected);
        }
        return Optional.of(node);
    }
}

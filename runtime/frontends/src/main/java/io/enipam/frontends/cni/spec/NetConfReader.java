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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Reads what the daemon knows out of a configuration, which may be 16 MiB of anything: other keys are passed over
 * without being kept. Thread-safe.
 */
final class NetConfReader {
    /**
     * What one key may hold: a tree takes ten times the memory of its text. A collection of 10,000 sandboxes has 60,000.
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
                tokens++;
                if (tokens > MOST_TOKENS) {
                    throw undecodable(key + " has more than " + MOST_TOKENS + " parts");
                }
                return super.nextToken();
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

    /** A value and where it is. What is there and not as it must be is a {@link CniException} with code 7 naming key and value. */
    record Value(JsonNode node, String key) {
        Value at(String name) {
            return new Value(node.path(name), key + "." + name);
        }

        /** Whether there is none; JSON's null is none. */
        boolean isAbsent() {
            return node.isMissingNode() || node.isNull();
        }

        /** The object that it is, if it is there. */
        Optional<Value> object() {
            return present(node.isObject(), "an object");
        }

        Value requiredObject() {
            return object().orElseThrow(() -> wrong("an object"));
        }

        /** The text that it is; empty text if it is absent. */
        String text() {
            return present(node.isTextual(), "text")
                    .map(value -> value.node.textValue())
                    .orElse("");
        }

        /** The same, if a parser accepts the text. */
        String text(Consumer<String> parser, String expected) {
            String text = text();
            try {
                parser.accept(text);
                return text;
            } catch (IllegalArgumentException e) {
                throw wrong(expected);
            }
        }

        OptionalLong number(long least, long most) {
            boolean right = node.isIntegralNumber()
                    && node.canConvertToLong()
                    && node.longValue() >= least
                    && node.longValue() <= most;
            String range = most == Long.MAX_VALUE ? "of " + least + " or more" : "from " + least + " to " + most;
            return present(right, "a whole number " + range).stream()
                    .mapToLong(value -> value.node.longValue())
                    .findFirst();
        }

        /** The elements of the array that it is; none if it is absent. */
        List<Value> elements() {
            return present(node.isArray(), "an array").stream()
                    .flatMap(array -> IntStream.range(0, array.node.size())
                            .mapToObj(i -> new Value(array.node.get(i), key + "[" + i + "]")))
                    .toList();
        }

        List<String> texts() {
            return elements().stream().map(Value::text).toList();
        }

        CniException wrong(String expected) {
            if (node.isMissingNode()) {
                return CniException.config(key + " is missing: " + expected + " is expected");
            }
            return CniException.config(key + " is " + shown() + ", which is not " + expected);
        }

        private String shown() {
            if (node.isContainerNode()) {
                return node.isArray() ? "an array" : "an object";
            }
            String text = node.asText();
            if (node.isTextual()) {
                return CniException.quoted(text);
            }
            return text.length() > 64 ? text.substring(0, 64) + "…" : text;
        }

        private Optional<Value> present(boolean right, String expected) {
            if (isAbsent()) {
                return Optional.empty();
            }
            if (!right) {
                throw wrong(expected);
            }
            return Optional.of(this);
        }
    }
}

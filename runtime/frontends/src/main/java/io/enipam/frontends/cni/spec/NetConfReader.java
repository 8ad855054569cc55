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
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads what the daemon knows out of a configuration, which may be 16 MiB of anything: other keys are passed over without being
 * kept. Thread-safe.
 */
final class NetConfReader {
    /** What one key may hold: a tree takes ten times the memory of its text. A collection of 10,000 sandboxes has 60,000. */
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
                    // an excerpt of somebody's configuration has no place in a message
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build())
            .build();

    private NetConfReader() {}

    /**
     * The values of some keys of the object that a text is; the last one where a key comes twice.
     *
     * @throws CniException code 6 if it is no JSON object and nothing else, or larger or deeper than anybody needs
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
}

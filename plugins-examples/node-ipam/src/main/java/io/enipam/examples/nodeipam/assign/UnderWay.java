package io.enipam.examples.nodeipam.assign;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Table;
import io.enipam.sdk.ranges.Subnet;
import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * What is under way for a node that has no blocks yet: a row of the table {@code assignments} by the node's name. A node that has its
 * blocks has no row: the API server knows them.
 *
 * <pre>
 * (no row)  -> Assigning  blocks were found for it, and are about to be written to the node
 *           -> Waiting    there are none
 * Assigning -> (no row)   the node has blocks, these or others, or is gone
 *           -> Failed     they could not be written, and certainly will not be
 * Waiting   -> Assigning, (no row)
 * Failed    -> Assigning, Waiting, (no row)
 * </pre>
 */
public sealed interface UnderWay {
    /** Of nodes without blocks. */
    Table<UnderWay> TABLE = new Table<>("assignments", 1, new JsonCodec());

    /** That of the node; a later node of the name has another. */
    String uid();

    /**
     * Blocks that are the node's, and are about to be written.
     *
     * @param term in which they were found, or are written again ({@link KnownNodes})
     * @param unsure whether an earlier term may have written them: they are not given up then
     * @param failures how often others were given up since the node has none
     */
    record Assigning(String uid, List<Subnet> blocks, long term, boolean unsure, int failures) implements UnderWay {
        public Assigning {
            blocks = List.copyOf(blocks);
        }
    }

    /** Its blocks were given up; it gets others, or the same. */
    record Failed(String uid, int failures) implements UnderWay {}

    /**
     * There are no blocks for it.
     *
     * @param why which are taken; another reason is reported at once
     * @param shares by which groups of nodes, as {@link NodeGroups} puts it behind the reason; may be empty
     * @param told when that was reported last
     */
    record Waiting(String uid, String why, String shares, Instant told) implements UnderWay {
        public Waiting(String uid, String why, Instant told) {
            this(uid, why, "", told);
        }

        /** As its event says. */
        public String text() {
            return why + shares;
        }
    }

    /** A JSON object with a field {@code state}. */
    final class JsonCodec implements Codec<UnderWay> {
        private static final ObjectMapper JSON = new ObjectMapper();

        @Override
        public String write(UnderWay value) {
            ObjectNode json = JSON.createObjectNode();
            if (value instanceof Assigning assigning) {
                json.put("state", "assigning").put("uid", assigning.uid());
                assigning.blocks().forEach(block -> json.withArray("blocks").add(block.toString()));
                json.put("term", assigning.term())
                        .put("unsure", assigning.unsure())
                        .put("failures", assigning.failures());
            } else if (value instanceof Failed failed) {
                json.put("state", "failed").put("uid", failed.uid()).put("failures", failed.failures());
            } else if (value instanceof Waiting waiting) {
                json.put("state", "waiting")
                        .put("uid", waiting.uid())
                        .put("why", waiting.why())
                        .put("shares", waiting.shares())
                        .put("told", waiting.told().toString());
            }
            return json.toString();
        }

        @Override
        public UnderWay read(int version, String text) {
            JsonNode json;
            try {
                json = JSON.readTree(text);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("no JSON: " + e.getOriginalMessage(), e);
            }
            String uid = json.required("uid").asText();
            String state = json.required("state").asText();
            return switch (state) {
                case "assigning" ->
                    new Assigning(
                            uid,
                            StreamSupport.stream(json.path("blocks").spliterator(), false)
                                    .map(block -> Subnet.parse(block.asText()))
                                    .toList(),
                            json.required("term").asLong(),
                            json.required("unsure").asBoolean(),
                            json.required("failures").asInt());
                case "failed" -> new Failed(uid, json.required("failures").asInt());
                case "waiting" ->
                    new Waiting(
                            uid,
                            json.required("why").asText(),
                            json.path("shares").asText(),
                            Instant.parse(json.required("told").asText()));
                default -> throw new IllegalArgumentException("there is no state " + state);
            };
        }
    }
}

package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import java.util.Optional;

/**
 * Whose database it is, version 1.
 *
 * @param instanceId empty as long as no cloud has told it
 * @param region may be empty
 * @param settled whether a start-up has completed on this database
 */
@JsonPropertyOrder({"v", "instanceId", "region", "settled"})
record NodeJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "instanceId", required = true) String instanceId,
        @JsonProperty(value = "region", required = true) String region,
        @JsonProperty(value = "settled", required = true) boolean settled) {
    static final String KEY = "node";

    static NodeJson of(NodeRecord node) {
        return new NodeJson(
                RecordCodec.VERSION,
                node.identity().map(NodeIdentity::instanceId).orElse(""),
                node.identity().map(NodeIdentity::region).orElse(""),
                node.settled());
    }

    NodeRecord toRecord() {
        Optional<NodeIdentity> identity =
                instanceId.isEmpty() ? Optional.empty() : Optional.of(new NodeIdentity(instanceId, region));
        return new NodeRecord(identity, settled);
    }
}

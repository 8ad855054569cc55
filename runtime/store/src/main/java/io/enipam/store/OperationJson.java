package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.engine.port.CloudJournal;
import java.time.Instant;

/**
 * An open cloud operation on disk, version 1.
 *
 * @param since ISO 8601 instant
 * @param operation what was begun, with its parameters
 */
@JsonPropertyOrder({"v", "id", "since", "operation"})
record OperationJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "id", required = true) String id,
        @JsonProperty(value = "since", required = true) String since,
        @JsonProperty(value = "operation", required = true) CloudCallJson operation) {

    static OperationJson of(CloudJournal.Entry entry) {
        return new OperationJson(
                RecordCodec.VERSION, entry.id(), entry.since().toString(), CloudCallJson.of(entry.operation()));
    }

    CloudJournal.Entry toEntry() {
        return new CloudJournal.Entry(id, Instant.parse(since), operation.toOperation());
    }
}

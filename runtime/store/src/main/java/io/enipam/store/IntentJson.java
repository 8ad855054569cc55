package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.engine.port.ResourceDb.Intent;
import java.time.Instant;

/**
 * A pending cloud operation on disk, version 1.
 *
 * @param action {@code CREATE} or {@code DISPOSE}
 * @param since ISO 8601 instant
 */
@JsonPropertyOrder({"v", "token", "action", "since"})
record IntentJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "token", required = true) String token,
        @JsonProperty(value = "action", required = true) String action,
        @JsonProperty(value = "since", required = true) String since) {

    static IntentJson of(Intent intent) {
        return new IntentJson(
                RecordCodec.VERSION,
                intent.token(),
                intent.action().name(),
                intent.since().toString());
    }

    Intent toIntent() {
        return new Intent(token, Intent.Action.valueOf(action), Instant.parse(since));
    }
}

package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.engine.model.Hold;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;

/**
 * A hold on disk, version 1. What is not required was not written by older programs.
 *
 * @param purpose {@code COOLING} or {@code RESERVED}
 * @param pod {@code NAMESPACE/NAME}
 * @param until ISO 8601 instant
 * @param lengthMs how long it was meant to be, in milliseconds, or 0 where that is not known
 */
@JsonPropertyOrder({"v", "resource", "purpose", "pod", "until", "lengthMs"})
record HoldJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "resource", required = true) ResourceJson resource,
        @JsonProperty(value = "purpose", required = true) String purpose,
        @JsonProperty(value = "pod", required = true) String pod,
        @JsonProperty(value = "until", required = true) String until,
        @JsonProperty("lengthMs") long lengthMs) {

    static HoldJson of(Hold hold) {
        return new HoldJson(
                RecordCodec.VERSION,
                ResourceJson.of(hold.resource()),
                hold.purpose().name(),
                hold.pod().toString(),
                hold.until().toString(),
                hold.length().toMillis());
    }

    Hold toHold() {
        return new Hold(
                resource.toResource(),
                Hold.Purpose.valueOf(purpose),
                PodRef.parse(pod),
                Instant.parse(until),
                Duration.ofMillis(Math.max(0, lengthMs)));
    }
}

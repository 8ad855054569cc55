package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The copy of a pod on disk, version 1. What is not required was not written by older programs, and is then nothing.
 *
 * @param pod {@code NAMESPACE/NAME}
 * @param uid may be empty
 * @param stick ISO 8601 duration
 * @param addresses address literals, possibly none
 * @param lastSeen ISO 8601 instant
 * @param expires ISO 8601 instant, or empty text while the pod is there
 * @param ingress bytes a second, or 0 for no limit
 * @param egress bytes a second, or 0 for no limit
 * @param ownEni whether it wants an ENI of its own
 */
@JsonPropertyOrder({
    "v",
    "pod",
    "uid",
    "finished",
    "stick",
    "addresses",
    "lastSeen",
    "expires",
    "ingress",
    "egress",
    "ownEni"
})
record PodJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "pod", required = true) String pod,
        @JsonProperty(value = "uid", required = true) String uid,
        @JsonProperty(value = "finished", required = true) boolean finished,
        @JsonProperty(value = "stick", required = true) String stick,
        @JsonProperty(value = "addresses", required = true) List<String> addresses,
        @JsonProperty(value = "lastSeen", required = true) String lastSeen,
        @JsonProperty(value = "expires", required = true) String expires,
        @JsonProperty("ingress") long ingress,
        @JsonProperty("egress") long egress,
        @JsonProperty("ownEni") boolean ownEni) {

    static PodJson of(PodCopy copy) {
        Pod pod = copy.pod();
        return new PodJson(
                RecordCodec.VERSION,
                pod.ref().toString(),
                pod.uid(),
                pod.finished(),
                pod.stick().toString(),
                pod.addresses().stream().map(AddressFormat::text).toList(),
                copy.lastSeen().toString(),
                copy.expires().map(Instant::toString).orElse(""),
                pod.wishes().ingress().orElse(0),
                pod.wishes().egress().orElse(0),
                pod.wishes().ownEni());
    }

    PodCopy toCopy() {
        Pod of = new Pod(
                PodRef.parse(pod),
                uid,
                finished,
                Duration.parse(stick),
                addresses.stream().map(Address::literal).toList(),
                new PodNetworkSpec(rate(ingress), rate(egress), ownEni));
        return new PodCopy(
                of,
                Instant.parse(lastSeen),
                Optional.of(expires).filter(text -> !text.isEmpty()).map(Instant::parse));
    }

    private static OptionalLong rate(long bytes) {
        return bytes > 0 ? OptionalLong.of(bytes) : OptionalLong.empty();
    }
}

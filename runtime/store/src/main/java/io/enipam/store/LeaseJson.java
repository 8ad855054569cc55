package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;

/**
 * A lease on disk, version 1.
 *
 * @param owner {@code NETWORK/CONTAINER/IFNAME}
 * @param pod {@code NAMESPACE/NAME}
 * @param stick ISO 8601 duration
 * @param since ISO 8601 instant
 */
@JsonPropertyOrder({"v", "owner", "pod", "podUid", "resource", "stick", "since"})
record LeaseJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "owner", required = true) String owner,
        @JsonProperty(value = "pod", required = true) String pod,
        @JsonProperty(value = "podUid", required = true) String podUid,
        @JsonProperty(value = "resource", required = true) ResourceJson resource,
        @JsonProperty(value = "stick", required = true) String stick,
        @JsonProperty(value = "since", required = true) String since) {

    static LeaseJson of(Lease lease) {
        return new LeaseJson(
                RecordCodec.VERSION,
                lease.owner().toString(),
                lease.pod().toString(),
                lease.podUid(),
                ResourceJson.of(lease.resource()),
                lease.stick().toString(),
                lease.since().toString());
    }

    Lease toLease() {
        return new Lease(
                OwnerKey.parse(owner),
                PodRef.parse(pod),
                podUid,
                resource.toResource(),
                Duration.parse(stick),
                Instant.parse(since));
    }
}

package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A resource inside a lease or a hold, version 1.
 *
 * @param addresses as {@code 10.0.1.7/24}
 */
@JsonPropertyOrder({"id", "kind", "addresses", "parent", "attributes"})
record ResourceJson(
        @JsonProperty(value = "id", required = true) String id,
        @JsonProperty(value = "kind", required = true) String kind,
        @JsonProperty(value = "addresses", required = true) List<String> addresses,
        @JsonProperty(value = "parent", required = true) String parent,
        @JsonProperty(value = "attributes", required = true) Map<String, String> attributes) {

    static ResourceJson of(Resource resource) {
        return new ResourceJson(
                resource.id().value(),
                resource.kind().name(),
                resource.addresses().stream().map(Address::toString).toList(),
                resource.parent(),
                new TreeMap<>(resource.attributes()));
    }

    Resource toResource() {
        return new Resource(
                new ResourceId(id),
                new ResourceKind(kind),
                addresses.stream().map(Address::parse).toList(),
                parent,
                attributes);
    }
}

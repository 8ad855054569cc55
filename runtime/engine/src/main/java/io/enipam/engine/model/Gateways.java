package io.enipam.engine.model;

import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.util.Optional;

/** Where a resource with an address of each family says through which gateways its subnets are left. */
public final class Gateways {
    /** The attribute with the gateway of a resource's IPv6 subnet; that of its IPv4 subnet is {@link Resource#GATEWAY}. */
    public static final String IPV6 = "gateway6";

    private Gateways() {}

    /** The gateway of the family's subnet, an address literal; empty if the resource does not say. */
    public static Optional<String> of(Resource resource, Family family) {
        String key = family == Family.IPV4 ? Resource.GATEWAY : IPV6;
        return Optional.ofNullable(resource.attributes().get(key)).filter(text -> !text.isEmpty());
    }
}

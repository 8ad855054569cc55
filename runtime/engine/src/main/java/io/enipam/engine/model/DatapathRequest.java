package io.enipam.engine.model;

import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A pod that is to be connected: what it was lent, and how it wants it.
 *
 * @param wishes what the pod's manifest says, as far as the node knows
 */
public record DatapathRequest(Lease lease, LinkRequest link, PodNetworkSpec wishes) {

    /** How fast traffic to the pod may be, in bytes a second; the manifest goes before the caller. */
    public OptionalLong ingress() {
        return wishes.ingress().isPresent() ? wishes.ingress() : link.ingress();
    }

    /** How fast traffic from it may be, in bytes a second. */
    public OptionalLong egress() {
        return wishes.egress().isPresent() ? wishes.egress() : link.egress();
    }

    /** Where a resource with an address of each family says through which gateways its subnets are left. */
    public static final class Gateways {
        /** The attribute with the gateway of the IPv6 subnet; {@link Resource#GATEWAY} has the IPv4 one. */
        public static final String IPV6 = "gateway6";

        private Gateways() {}

        /** The gateway of the family's subnet, an address literal; empty if the resource does not say. */
        public static Optional<String> of(Resource resource, Family family) {
            String key = family == Family.IPV4 ? Resource.GATEWAY : IPV6;
            return Optional.ofNullable(resource.attributes().get(key)).filter(text -> !text.isEmpty());
        }
    }
}

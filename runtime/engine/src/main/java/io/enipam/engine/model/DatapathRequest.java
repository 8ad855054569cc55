package io.enipam.engine.model;

import java.util.OptionalLong;

/**
 * A pod that is to be connected: what it was lent, and how it wants it.
 *
 * @param lease what it was lent
 * @param link what the caller said of the link
 * @param wishes what the pod's manifest says, as far as the node has heard
 */
public record DatapathRequest(Lease lease, LinkRequest link, PodNetworkSpec wishes) {
    /** A simulated pod. */
    public static DatapathRequest simulated(Lease lease) {
        return new DatapathRequest(lease, LinkRequest.simulated(), PodNetworkSpec.NONE);
    }

    /** How fast traffic to the pod may be, in bytes a second; the manifest goes before the caller. */
    public OptionalLong ingress() {
        return wishes.ingress().isPresent() ? wishes.ingress() : link.ingress();
    }

    /** How fast traffic from it may be, in bytes a second. */
    public OptionalLong egress() {
        return wishes.egress().isPresent() ? wishes.egress() : link.egress();
    }
}

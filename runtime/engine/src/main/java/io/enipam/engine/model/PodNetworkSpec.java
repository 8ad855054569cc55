package io.enipam.engine.model;

import java.util.OptionalLong;

/**
 * What a pod asks of its network beside an address.
 *
 * @param ingress how fast traffic to it may be, in bytes a second, above zero; empty for no limit
 * @param egress how fast traffic from it may be, in bytes a second, above zero; empty for no limit
 * @param ownEni whether it wants an ENI of its own
 */
public record PodNetworkSpec(OptionalLong ingress, OptionalLong egress, boolean ownEni) {
    /** Nothing. */
    public static final PodNetworkSpec NONE = new PodNetworkSpec(OptionalLong.empty(), OptionalLong.empty(), false);
}

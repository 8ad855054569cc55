package io.enipam.sdk.cloud;

/**
 * The instance that a node is.
 *
 * @param type such as {@code ecs.g7.xlarge}
 * @param limits what the type allows
 */
public record CloudInstance(String id, String type, String region, String zone, Limits limits) {
    /**
     * What an instance type allows.
     *
     * @param enis attached at one time, the primary one included; members of a trunk are not counted
     * @param ipv4PerEni IPv4 addresses on each, the primary one included; a prefix counts as one address
     * @param ipv6PerEni IPv6 addresses on each, 0 for none
     * @param members of trunk ENIs, 0 if the type takes no trunk
     */
    public record Limits(int enis, int ipv4PerEni, int ipv6PerEni, int members) {}
}

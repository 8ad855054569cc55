package io.enipam.emulator.cloud;

/**
 * What an instance type allows, as DescribeInstanceTypes tells it.
 *
 * @param id {@code ecs.<family>.<size>}
 * @param cpus vCPUs
 * @param memoryGib GiB
 * @param enis ENIs an instance may have, the primary one included
 * @param ipv4PerEni IPv4 addresses an ENI may have, its primary one included
 * @param ipv6PerEni IPv6 addresses an ENI may have
 * @param totalEnis ENIs with the members of trunks included
 * @param trunk whether trunk ENIs may be attached
 */
public record InstanceType(
        String id, int cpus, double memoryGib, int enis, int ipv4PerEni, int ipv6PerEni, int totalEnis, boolean trunk) {
    /** {@code ecs.g7} of {@code ecs.g7.xlarge}. */
    public String family() {
        return id.substring(0, id.lastIndexOf('.'));
    }
}

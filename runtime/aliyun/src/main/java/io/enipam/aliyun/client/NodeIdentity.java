package io.enipam.aliyun.client;

/**
 * Who this node is, as the metadata service tells it.
 *
 * @param instanceId the instance
 * @param instanceType its type, such as {@code ecs.g7.large}
 * @param regionId its region
 * @param zoneId its zone
 * @param vpcId its VPC
 * @param vswitchId the vSwitch of its primary ENI
 * @param mac hardware address of its primary ENI
 */
public record NodeIdentity(
        String instanceId,
        String instanceType,
        String regionId,
        String zoneId,
        String vpcId,
        String vswitchId,
        String mac) {}

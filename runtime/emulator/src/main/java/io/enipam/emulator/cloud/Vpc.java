package io.enipam.emulator.cloud;

/**
 * The VPC that holds everything.
 *
 * @param id {@code vpc-...}
 * @param cidr a block that covers all vSwitches
 * @param securityGroup the one security group there is, {@code sg-...}
 */
public record Vpc(String id, String cidr, String securityGroup) {}

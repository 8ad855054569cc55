package io.enipam.emulator.cloud;

import java.util.List;
import java.util.Optional;

/**
 * The VPC that holds everything.
 *
 * @param id {@code vpc-...}
 * @param cidr a block that covers all vSwitches
 * @param ipv6Cidr a block that covers those of all vSwitches that have IPv6; empty if none has
 * @param securityGroups {@code sg-...}; the instances are in the first
 */
public record Vpc(String id, String cidr, Optional<String> ipv6Cidr, List<String> securityGroups) {
    public Vpc {
        securityGroups = List.copyOf(securityGroups);
    }

    /** The group the instances are in. */
    public String securityGroup() {
        return securityGroups.get(0);
    }
}

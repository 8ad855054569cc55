package io.enipam.sdk.cloud;

import java.util.List;
import java.util.Optional;

/**
 * An ENI as the cloud described it. Descriptions lag behind changes by some seconds.
 *
 * @param label what the plugin that made it calls it ({@link EniRequest}), or empty text
 * @param mac such as {@code 02:42:ac:11:00:02}
 * @param vSwitch where its addresses come from
 */
public record Eni(
        String id,
        Kind kind,
        String label,
        Status status,
        String mac,
        String vSwitch,
        Attachment attachment,
        Addresses addresses) {
    /** What an ENI is. */
    public enum Kind {
        PRIMARY,
        SECONDARY,
        /** One that carries members. */
        TRUNK,
        /** A secondary one, while it is attached to a trunk. */
        MEMBER
    }

    /** What an ENI does. */
    public enum Status {
        AVAILABLE,
        ATTACHING,
        IN_USE,
        DETACHING,
        DELETING,
        /** One that this version does not know. */
        OTHER
    }

    /**
     * Where an ENI is attached, is being attached, or is being detached from.
     *
     * @param instance empty text if it is nowhere
     * @param trunk the trunk that it is a member of
     * @param deviceIndex of a member its VLAN on the trunk, 1 to 4,094; else its number on the instance
     */
    public record Attachment(String instance, Optional<String> trunk, int deviceIndex) {}

    /**
     * @param ipv4 all single addresses, the primary one included
     * @param prefixes blocks of 16 addresses, such as {@code 10.0.0.16/28}
     */
    public record Addresses(String primary, List<String> ipv4, List<String> ipv6, List<String> prefixes) {
        public Addresses {
            ipv4 = List.copyOf(ipv4);
            ipv6 = List.copyOf(ipv6);
            prefixes = List.copyOf(prefixes);
        }
    }
}

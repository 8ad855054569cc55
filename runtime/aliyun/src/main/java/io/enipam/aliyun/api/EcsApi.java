package io.enipam.aliyun.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The calls of ECS (2014-05-26) and VPC (2016-04-28) this node makes. Thread-safe. Every method blocks for a bounded
 * time and throws {@link EcsException}.
 */
public interface EcsApi {
    /** Makes an ENI; it is Available at once. The same request with the same token makes one ENI. */
    NetworkInterface createNetworkInterface(CreateInterfaceRequest wish);

    /** Begins to attach an ENI: Available, Attaching, InUse. */
    Acknowledgement attachNetworkInterface(String eniId, String instanceId);

    /** The same for a member of a trunk that is in use on the instance. */
    Acknowledgement attachMember(String eniId, String instanceId, String trunkId);

    /** Begins to detach an ENI: InUse, Detaching, Available. */
    Acknowledgement detachNetworkInterface(String eniId, String instanceId);

    /** Begins to delete an ENI that is Available: Deleting, then absent. */
    Acknowledgement deleteNetworkInterface(String eniId);

    /** One ENI by id, in a list that is empty if there is none. */
    List<NetworkInterface> describeNetworkInterface(String eniId);

    /** All ENIs that carry all of these tags; every page. */
    List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags);

    /** All ENIs that are attached to an instance, or on their way to or from it, whosever they are; every page. */
    List<NetworkInterface> describeAttached(String instanceId);

    /** The ENIs that have any of these 1 to 100 addresses of a vSwitch. */
    List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips);

    /**
     * Adds IPv4 addresses the cloud chooses. The same parameters with the same token add them once.
     *
     * @param count 1 to 10
     * @param clientToken 1 to 64 ASCII characters
     */
    AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken);

    /** Takes 1 to 10 secondary IPv4 addresses away. */
    Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips);

    /** The same for blocks of 16 addresses, such as {@code 10.0.0.16/28}. */
    AssignedAddresses assignIpv4Prefixes(String eniId, int count, String clientToken);

    /** Takes 1 to 10 blocks away. */
    Acknowledgement unassignIpv4Prefixes(String eniId, List<String> prefixes);

    /** The same for IPv6. */
    AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken);

    /** Takes 1 to 10 IPv6 addresses away, named in canonical text. */
    Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips);

    /**
     * How far the cloud's clock is ahead of this process's, by the date of its last answer; negative if it is behind.
     * Good to a few seconds. Empty if no answer had one. Does not call.
     */
    default Optional<Duration> clockAhead() {
        return Optional.empty();
    }

    /**
     * The same cloud, whose calls are steps of the traces of the requests that wait for them.
     *
     * @param waiting tokens of requests, ids of resources
     */
    default EcsApi onBehalfOf(List<String> waiting) {
        return this;
    }

    /** The same cloud, each of whose calls takes no longer than this, and no longer than it takes otherwise. */
    default EcsApi within(Duration limit) {
        return this;
    }

    InstanceTypeLimits describeInstanceType(String instanceType);

    List<String> describeSecurityGroups(String instanceId);

    VSwitch describeVSwitch(String vswitchId);

    /**
     * The custom entries of a route table; every page.
     *
     * @param destination of the one that is asked for; empty for all
     */
    List<RouteEntry> describeRouteEntries(String tableId, Optional<String> destination);

    /**
     * Begins to add an entry: Pending, Available. The same parameters with the same token add it once.
     *
     * @param clientToken 1 to 64 ASCII characters
     */
    Acknowledgement createRouteEntry(RouteEntry entry, String clientToken);

    /** Begins to remove an entry, named by its table, destination and next hop. */
    Acknowledgement deleteRouteEntry(RouteEntry entry);

    /** That a call was accepted, and the cloud's name of the call. */
    record Acknowledgement(String requestId) {}

    /**
     * @param vswitchId where the ENI's addresses come from
     * @param securityGroups 1 to 10
     * @param tags at most 20
     * @param clientToken 1 to 64 ASCII characters
     * @param ipv6Count IPv6 addresses on it from its first moment, 0 to 10
     * @param trunk whether it is to carry member ENIs
     */
    record CreateInterfaceRequest(
            String vswitchId,
            List<String> securityGroups,
            Map<String, String> tags,
            String clientToken,
            int ipv6Count,
            boolean trunk) {
        /** A secondary ENI. */
        public CreateInterfaceRequest(
                String vswitchId,
                List<String> securityGroups,
                Map<String, String> tags,
                String clientToken,
                int ipv6Count) {
            this(vswitchId, securityGroups, tags, clientToken, ipv6Count, false);
        }

        public CreateInterfaceRequest {
            securityGroups = List.copyOf(securityGroups);
            tags = Map.copyOf(tags);
        }
    }

    /**
     * @param ips the addresses that were added: as many as were requested, or fewer
     * @param requestId the cloud's name of the call
     */
    record AssignedAddresses(List<String> ips, String requestId) {
        public AssignedAddresses {
            ips = List.copyOf(ips);
        }
    }

    record NetworkInterface(
            String id,
            CloudEniStatus status,
            String mac,
            String vswitchId,
            Attachment attachment,
            Addresses addresses,
            Origin origin) {
        /** What an ENI is; a secondary one is a member while it is attached through a trunk. */
        public enum EniType {
            PRIMARY,
            SECONDARY,
            TRUNK,
            MEMBER
        }

        /**
         * @param instanceId empty text if the ENI is attached to nothing
         * @param trunkId of the trunk that it is a member of, or empty text
         * @param deviceIndex of a member its VLAN on the trunk
         */
        public record Attachment(String instanceId, EniType type, String trunkId, int deviceIndex) {
            /** Of one that is no member. */
            public Attachment(String instanceId, EniType type) {
                this(instanceId, type, "", 0);
            }

            /** Whether it may be detached. */
            public boolean secondary() {
                return type != EniType.PRIMARY;
            }
        }

        /**
         * @param requestId the cloud's name of the call that told of the ENI
         * @param createdAt when it was made, by the cloud's clock; empty if the cloud does not say
         */
        public record Origin(String requestId, Optional<Instant> createdAt, Map<String, String> tags) {
            public Origin {
                tags = Map.copyOf(tags);
            }
        }

        /**
         * @param ipv4 all IPv4 addresses, the primary one included
         * @param ipv6 all IPv6 addresses, in canonical text
         * @param prefixes blocks of 16 IPv4 addresses beside those
         */
        public record Addresses(String primary, List<String> ipv4, List<String> ipv6, List<String> prefixes) {
            /** Without blocks. */
            public Addresses(String primary, List<String> ipv4, List<String> ipv6) {
                this(primary, ipv4, ipv6, List.of());
            }

            public Addresses {
                ipv4 = List.copyOf(ipv4);
                ipv6 = List.copyOf(ipv6);
                prefixes = List.copyOf(prefixes);
            }
        }

        public String requestId() {
            return origin.requestId();
        }

        /** When it was made, by the cloud's clock; empty if the cloud does not say. */
        public Optional<Instant> createdAt() {
            return origin.createdAt();
        }

        public String instanceId() {
            return attachment.instanceId();
        }

        public boolean secondary() {
            return attachment.secondary();
        }

        public String primaryIp() {
            return addresses.primary();
        }

        public List<String> ips() {
            return addresses.ipv4();
        }

        public List<String> ipv6s() {
            return addresses.ipv6();
        }

        /** The same ENI with its primary address as the only IPv4 address. */
        public NetworkInterface primaryOnly() {
            Addresses primary = new Addresses(primaryIp(), List.of(primaryIp()), ipv6s());
            return new NetworkInterface(id, status, mac, vswitchId, attachment, primary, origin);
        }
    }

    /**
     * @param enis attached at one time, the primary one included
     * @param ipv4PerEni IPv4 addresses on each, the primary one included
     * @param ipv6PerEni IPv6 addresses on each, 0 for none
     * @param members member ENIs of trunks, 0 if the type takes no trunk
     */
    record InstanceTypeLimits(int enis, int ipv4PerEni, int ipv6PerEni, int members) {
        /** Of a type that takes no trunk. */
        public InstanceTypeLimits(int enis, int ipv4PerEni, int ipv6PerEni) {
            this(enis, ipv4PerEni, ipv6PerEni, 0);
        }
    }

    /**
     * @param destination a block, unique in its table
     * @param hopType such as {@code Instance}
     * @param status as the cloud spells it, such as {@code Available}; empty text of one that is to be made
     */
    record RouteEntry(String tableId, String destination, String hopType, String hopId, String status) {}

    /**
     * @param cidr its IPv4 range, such as {@code 10.0.1.0/24}
     * @param ipv6Cidr its IPv6 range, or empty text if IPv6 is not turned on for it
     * @param available free IPv4 addresses
     */
    record VSwitch(String id, String zoneId, String cidr, String ipv6Cidr, long available) {}

    public enum CloudEniStatus {
        AVAILABLE("Available"),
        ATTACHING("Attaching"),
        IN_USE("InUse"),
        DETACHING("Detaching"),
        DELETING("Deleting"),
        /** A status this client does not know: nothing is done on its account. */
        OTHER("");

        private final String wire;

        CloudEniStatus(String wire) {
            this.wire = wire;
        }

        /** For display: the API's spelling, or {@code Unknown}. */
        public String label() {
            return wire.isEmpty() ? "Unknown" : wire;
        }

        public static CloudEniStatus parse(String wire) {
            return Arrays.stream(values())
                    .filter(status -> status.wire.equals(wire))
                    .findFirst()
                    .orElse(OTHER);
        }
    }
}

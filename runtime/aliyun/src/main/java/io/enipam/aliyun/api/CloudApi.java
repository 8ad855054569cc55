package io.enipam.aliyun.api;

import java.util.Arrays;
import java.util.Optional;

/** The APIs this node calls, by the names the cloud has for them. */
public enum CloudApi {
    CREATE_NETWORK_INTERFACE("CreateNetworkInterface", 500, Idempotency.WITH_ITS_TOKEN, "eni_create"),
    ATTACH_NETWORK_INTERFACE("AttachNetworkInterface", 500, Idempotency.NEVER_BLINDLY, "eni_ops"),
    DETACH_NETWORK_INTERFACE("DetachNetworkInterface", 400, Idempotency.NEVER_BLINDLY, "eni_ops"),
    DELETE_NETWORK_INTERFACE("DeleteNetworkInterface", 500, Idempotency.NEVER_BLINDLY, "eni_release"),
    ASSIGN_PRIVATE_IP_ADDRESSES("AssignPrivateIpAddresses", 400, Idempotency.WITH_ITS_TOKEN, "eni_ip_ops"),
    UNASSIGN_PRIVATE_IP_ADDRESSES("UnassignPrivateIpAddresses", 400, Idempotency.NEVER_BLINDLY, "eni_ip_ops"),
    ASSIGN_IPV6_ADDRESSES("AssignIpv6Addresses", 400, Idempotency.WITH_ITS_TOKEN, "eni_ip_ops"),
    UNASSIGN_IPV6_ADDRESSES("UnassignIpv6Addresses", 400, Idempotency.NEVER_BLINDLY, "eni_ip_ops"),
    DESCRIBE_NETWORK_INTERFACES("DescribeNetworkInterfaces", 800, Idempotency.FREELY, ""),
    DESCRIBE_INSTANCE_TYPES("DescribeInstanceTypes", 400, Idempotency.FREELY, ""),
    DESCRIBE_INSTANCES("DescribeInstances", 500, Idempotency.FREELY, ""),
    DESCRIBE_VSWITCHES("DescribeVSwitches", 300, Idempotency.FREELY, ""),
    DESCRIBE_ROUTE_ENTRY_LIST("DescribeRouteEntryList", 300, Idempotency.FREELY, ""),
    CREATE_ROUTE_ENTRY("CreateRouteEntry", 300, Idempotency.WITH_ITS_TOKEN, ""),
    DELETE_ROUTE_ENTRY("DeleteRouteEntry", 300, Idempotency.NEVER_BLINDLY, "");

    /**
     * Whether a call whose outcome is unknown may be made again: freely if it changes nothing, with its client token if
     * it has one, and else not without a look at what became of it.
     */
    public enum Idempotency {
        FREELY,
        WITH_ITS_TOKEN,
        NEVER_BLINDLY
    }

    private final String wireName;
    private final int perMinute;
    private final Idempotency idempotency;
    private final String backoffKey;

    CloudApi(String wire, int perMinute, Idempotency repeat, String backoffKey) {
        this.wireName = wire;
        this.perMinute = perMinute;
        this.idempotency = repeat;
        this.backoffKey = backoffKey;
    }

    /** The cloud's name of it, such as {@code AttachNetworkInterface}. */
    public String wireName() {
        return wireName;
    }

    /** Calls a minute that peers allow one node; the account's own quota is not published. */
    public int perMinute() {
        return perMinute;
    }

    public Idempotency idempotency() {
        return idempotency;
    }

    /** Terway's name of the back-off it falls under, in {@code backoff_override}; empty text for the general one. */
    public String backoffKey() {
        return backoffKey;
    }

    public static Optional<CloudApi> ofWireName(String wire) {
        return Arrays.stream(values()).filter(api -> api.wireName.equals(wire)).findFirst();
    }
}

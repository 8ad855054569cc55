package io.enipam.aliyun.api;

import java.util.Arrays;
import java.util.Optional;

/** The APIs this node calls, by the names the cloud has for them. */
public enum CloudApi {
    CREATE_NETWORK_INTERFACE("CreateNetworkInterface", 500, Repeat.WITH_ITS_TOKEN, "eni_create"),
    ATTACH_NETWORK_INTERFACE("AttachNetworkInterface", 500, Repeat.NEVER_BLINDLY, "eni_ops"),
    DETACH_NETWORK_INTERFACE("DetachNetworkInterface", 400, Repeat.NEVER_BLINDLY, "eni_ops"),
    DELETE_NETWORK_INTERFACE("DeleteNetworkInterface", 500, Repeat.NEVER_BLINDLY, "eni_release"),
    ASSIGN_PRIVATE_IP_ADDRESSES("AssignPrivateIpAddresses", 400, Repeat.WITH_ITS_TOKEN, "eni_ip_ops"),
    UNASSIGN_PRIVATE_IP_ADDRESSES("UnassignPrivateIpAddresses", 400, Repeat.NEVER_BLINDLY, "eni_ip_ops"),
    ASSIGN_IPV6_ADDRESSES("AssignIpv6Addresses", 400, Repeat.WITH_ITS_TOKEN, "eni_ip_ops"),
    UNASSIGN_IPV6_ADDRESSES("UnassignIpv6Addresses", 400, Repeat.NEVER_BLINDLY, "eni_ip_ops"),
    DESCRIBE_NETWORK_INTERFACES("DescribeNetworkInterfaces", 800, Repeat.FREELY, ""),
    DESCRIBE_INSTANCE_TYPES("DescribeInstanceTypes", 400, Repeat.FREELY, ""),
    DESCRIBE_INSTANCES("DescribeInstances", 500, Repeat.FREELY, ""),
    DESCRIBE_VSWITCHES("DescribeVSwitches", 300, Repeat.FREELY, "");

    /** Whether a call whose outcome is unknown may be made again without a look at what became of it. */
    public enum Repeat {
        /** It changes nothing. */
        FREELY,
        /** It carries a client token, by which the cloud knows it again. */
        WITH_ITS_TOKEN,
        /** It has no client token: whoever asked looks first. */
        NEVER_BLINDLY
    }

    private final String wire;
    private final int perMinute;
    private final Repeat repeat;
    private final String backoffKey;

    CloudApi(String wire, int perMinute, Repeat repeat, String backoffKey) {
        this.wire = wire;
        this.perMinute = perMinute;
        this.repeat = repeat;
        this.backoffKey = backoffKey;
    }

    /** The cloud's name of it, such as {@code AttachNetworkInterface}. */
    public String wire() {
        return wire;
    }

    /** Calls a minute that peers allow one node; the account's own quota is not published. */
    public int perMinute() {
        return perMinute;
    }

    public Repeat repeat() {
        return repeat;
    }

    /** Terway's name of the back-off it falls under, in {@code backoff_override}; empty text for the general one. */
    public String backoffKey() {
        return backoffKey;
    }

    /** The API of that name. */
    public static Optional<CloudApi> named(String wire) {
        return Arrays.stream(values()).filter(api -> api.wire.equals(wire)).findFirst();
    }
}

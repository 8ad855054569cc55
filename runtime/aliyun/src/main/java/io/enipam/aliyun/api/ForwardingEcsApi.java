package io.enipam.aliyun.api;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** An {@link EcsApi} in front of another one: all its calls go through one method. */
public abstract class ForwardingEcsApi implements EcsApi {
    /**
     * Makes a call.
     *
     * @param target what the call is about, for operators
     */
    protected abstract <T> T call(CloudApi api, String target, Function<EcsApi, T> call);

    @Override
    public NetworkInterface createNetworkInterface(CreateInterfaceRequest wish) {
        return call(CloudApi.CREATE_NETWORK_INTERFACE, wish.vswitchId(), wire -> wire.createNetworkInterface(wish));
    }

    @Override
    public Acknowledgement attachNetworkInterface(String eniId, String instanceId) {
        return call(CloudApi.ATTACH_NETWORK_INTERFACE, eniId, wire -> wire.attachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Acknowledgement detachNetworkInterface(String eniId, String instanceId) {
        return call(CloudApi.DETACH_NETWORK_INTERFACE, eniId, wire -> wire.detachNetworkInterface(eniId, instanceId));
    }

    @Override
    public Acknowledgement deleteNetworkInterface(String eniId) {
        return call(CloudApi.DELETE_NETWORK_INTERFACE, eniId, wire -> wire.deleteNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        return call(CloudApi.DESCRIBE_NETWORK_INTERFACES, eniId, wire -> wire.describeNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return call(CloudApi.DESCRIBE_NETWORK_INTERFACES, "by tags", wire -> wire.describeNetworkInterfaces(tags));
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        return call(
                CloudApi.DESCRIBE_NETWORK_INTERFACES, "of " + instanceId, wire -> wire.describeAttached(instanceId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips) {
        return call(
                CloudApi.DESCRIBE_NETWORK_INTERFACES,
                "by addresses",
                wire -> wire.describeNetworkInterfacesByIp(vswitchId, ips));
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        return call(
                CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES,
                eniId + " +" + count,
                wire -> wire.assignPrivateIpAddresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        return call(
                CloudApi.UNASSIGN_PRIVATE_IP_ADDRESSES,
                eniId + " -" + ips.size(),
                wire -> wire.unassignPrivateIpAddresses(eniId, ips));
    }

    @Override
    public AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        return call(
                CloudApi.ASSIGN_IPV6_ADDRESSES,
                eniId + " +" + count,
                wire -> wire.assignIpv6Addresses(eniId, count, clientToken));
    }

    @Override
    public Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips) {
        return call(
                CloudApi.UNASSIGN_IPV6_ADDRESSES,
                eniId + " -" + ips.size(),
                wire -> wire.unassignIpv6Addresses(eniId, ips));
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        return call(CloudApi.DESCRIBE_INSTANCE_TYPES, instanceType, wire -> wire.describeInstanceType(instanceType));
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        return call(CloudApi.DESCRIBE_INSTANCES, instanceId, wire -> wire.describeSecurityGroups(instanceId));
    }

    @Override
    public VSwitch describeVSwitch(String vswitchId) {
        return call(CloudApi.DESCRIBE_VSWITCHES, vswitchId, wire -> wire.describeVSwitch(vswitchId));
    }
}

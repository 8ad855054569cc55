package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The cloud for a factory that lends whole ENIs: each shows its primary address alone of the IPv4 ones. What else its pod has
 * put on it is the pod's affair, and goes with it.
 */
record PrimaryAddressEcsApi(EcsApi api) implements EcsApi {
    private static NetworkInterface primaryOnly(NetworkInterface eni) {
        return new NetworkInterface(
                eni.id(),
                eni.status(),
                eni.mac(),
                eni.vswitchId(),
                eni.instanceId(),
                eni.secondary(),
                eni.primaryIp(),
                List.of(eni.primaryIp()),
                eni.ipv6s(),
                eni.requestId(),
                eni.createdAt());
    }

    @Override
    public EcsApi onBehalfOf(List<String> waiting) {
        return new PrimaryAddressEcsApi(api.onBehalfOf(waiting));
    }

    @Override
    public Optional<Duration> clockAhead() {
        return api.clockAhead();
    }

    @Override
    public NetworkInterface createNetworkInterface(CreateInterfaceRequest wish) {
        return primaryOnly(api.createNetworkInterface(wish));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        return api.describeNetworkInterface(eniId).stream()
                .map(PrimaryAddressEcsApi::primaryOnly)
                .toList();
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return api.describeNetworkInterfaces(tags).stream()
                .map(PrimaryAddressEcsApi::primaryOnly)
                .toList();
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        return api.describeAttached(instanceId).stream()
                .map(PrimaryAddressEcsApi::primaryOnly)
                .toList();
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips) {
        return api.describeNetworkInterfacesByIp(vswitchId, ips);
    }

    @Override
    public Acknowledgement attachNetworkInterface(String eniId, String instanceId) {
        return api.attachNetworkInterface(eniId, instanceId);
    }

    @Override
    public Acknowledgement detachNetworkInterface(String eniId, String instanceId) {
        return api.detachNetworkInterface(eniId, instanceId);
    }

    @Override
    public Acknowledgement deleteNetworkInterface(String eniId) {
        return api.deleteNetworkInterface(eniId);
    }

    @Override
    public AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        return api.assignPrivateIpAddresses(eniId, count, clientToken);
    }

    @Override
    public Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        return api.unassignPrivateIpAddresses(eniId, ips);
    }

    @Override
    public AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        return api.assignIpv6Addresses(eniId, count, clientToken);
    }

    @Override
    public Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips) {
        return api.unassignIpv6Addresses(eniId, ips);
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        return api.describeInstanceType(instanceType);
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        return api.describeSecurityGroups(instanceId);
    }

    @Override
    public VSwitch describeVSwitch(String vswitchId) {
        return api.describeVSwitch(vswitchId);
    }
}

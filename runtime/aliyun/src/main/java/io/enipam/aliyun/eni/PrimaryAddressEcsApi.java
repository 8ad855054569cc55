package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.ForwardingEcsApi;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The cloud for a factory that lends whole ENIs: of its IPv4 addresses, an ENI shows the primary one alone. Further addresses
 * belong to the pod that assigned them, and go with the ENI.
 */
final class PrimaryAddressEcsApi extends ForwardingEcsApi {
    private final EcsApi api;

    PrimaryAddressEcsApi(EcsApi api) {
        this.api = api;
    }

    @Override
    protected <T> T call(CloudApi name, String target, Function<EcsApi, T> call) {
        return call.apply(api);
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
    public NetworkInterface createNetworkInterface(CreateInterfaceRequest request) {
        return api.createNetworkInterface(request).primaryOnly();
    }

    @Override
    public List<NetworkInterface> describeNetworkInterface(String eniId) {
        return primaryOnly(api.describeNetworkInterface(eniId));
    }

    @Override
    public List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return primaryOnly(api.describeNetworkInterfaces(tags));
    }

    @Override
    public List<NetworkInterface> describeAttached(String instanceId) {
        return primaryOnly(api.describeAttached(instanceId));
    }

    private static List<NetworkInterface> primaryOnly(List<NetworkInterface> enis) {
        return enis.stream().map(NetworkInterface::primaryOnly).toList();
    }
}

package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsFailure;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.client.NodeIdentity;
import io.enipam.aliyun.client.PatientEcsApi;
import io.enipam.aliyun.client.SdkEcsApi;
import io.enipam.aliyun.eni.EniIpFactory;
import io.enipam.aliyun.eni.FactorySettings;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The cloud as this node sees it: its ENIs and the factory that makes addresses on them. Thread-safe. */
public final class AliyunCloud implements AutoCloseable {
    private final String instanceId;
    private final EniIpFactory factory;
    private final CallThreads threads;

    private AliyunCloud(String instanceId, EniIpFactory factory, CallThreads threads) {
        this.instanceId = instanceId;
        this.factory = factory;
        this.threads = threads;
    }

    /**
     * Asks the metadata service who this node is and the API what its instance type allows. Blocks for some seconds at
     * most, unless the cloud throttles.
     *
     * @throws FactoryException if the cloud cannot be asked or says no; its message is one line and says what to do
     */
    public static AliyunCloud open(AliyunConfig config, TimeSource time, Scheduler scheduler, EventSink events) {
        NodeIdentity node = new MetadataClient(config.metadata()).identity();
        try {
            EcsApi api = new PatientEcsApi(
                    new SdkEcsApi(config.accessKeyId(), config.accessKeySecret(), node.regionId(), config.endpoint()));
            FactorySettings settings = settings(config, node, api);
            List<VSwitch> vswitches = vswitches(config, node, api);
            CallThreads threads = new CallThreads();
            return new AliyunCloud(
                    node.instanceId(),
                    new EniIpFactory(settings, vswitches, api, time, scheduler, events, threads),
                    threads);
        } catch (EcsFailure e) {
            throw new FactoryException(e.kind(), e.getMessage() + advice(e.kind()), e);
        }
    }

    private static FactorySettings settings(AliyunConfig config, NodeIdentity node, EcsApi api) {
        InstanceTypeLimits limits = api.describeInstanceType(node.instanceType());
        List<String> groups = config.securityGroups().isEmpty()
                ? api.describeSecurityGroups(node.instanceId())
                : config.securityGroups();
        Map<String, String> own = Map.of(
                FactorySettings.CREATOR_TAG, FactorySettings.CREATOR, FactorySettings.NODE_TAG, node.instanceId());
        Map<String, String> tags = new HashMap<>(config.tags());
        tags.putAll(own);
        int enis = Math.max(0, Math.min(limits.enis() - 1, config.maxEni()));
        return new FactorySettings(
                node.instanceId(),
                groups,
                tags,
                own,
                enis,
                Math.max(1, limits.ipv4PerEni()),
                Math.max(0, limits.enis() - 1));
    }

    private static List<VSwitch> vswitches(AliyunConfig config, NodeIdentity node, EcsApi api) {
        List<String> configured = config.vswitches().getOrDefault(node.zoneId(), List.of());
        List<String> ids = configured.isEmpty() ? List.of(node.vswitchId()) : configured;
        List<VSwitch> found = ids.stream().distinct().map(api::describeVSwitch).toList();
        for (VSwitch vswitch : found) {
            if (!vswitch.zoneId().isEmpty() && !vswitch.zoneId().equals(node.zoneId())) {
                throw new FactoryException(
                        ErrorKind.MISCONFIGURED,
                        "vSwitch " + vswitch.id() + " is in zone " + vswitch.zoneId() + ", this instance in "
                                + node.zoneId() + "; an ENI can only be attached within its zone");
            }
        }
        return found;
    }

    private static String advice(ErrorKind kind) {
        return switch (kind) {
            case UNAUTHORIZED -> "; check access_key, access_secret, the node's clock and its RAM policy";
            case MISCONFIGURED -> "; check vswitches and security_groups";
            case THROTTLED -> "; the account makes too many calls, try again in a minute";
            default -> "; check that the endpoint can be reached from this node";
        };
    }

    /** The factory of ENI addresses. */
    public ResourceFactory eniIpFactory() {
        return factory;
    }

    /** The ENIs, for inspection. */
    public EniDirectory enis() {
        return factory.directory();
    }

    /** This node's instance id. */
    public String instanceId() {
        return instanceId;
    }

    /** Ends the factory and its threads. What it made stays. */
    @Override
    public void close() {
        factory.close();
        threads.close();
    }
}

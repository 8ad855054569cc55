package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsFailure;
import io.enipam.aliyun.calls.CallBook;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.client.NodeIdentity;
import io.enipam.aliyun.client.PatientEcsApi;
import io.enipam.aliyun.client.Pauses;
import io.enipam.aliyun.client.SdkEcsApi;
import io.enipam.aliyun.credentials.KeySource;
import io.enipam.aliyun.eni.EniBounds;
import io.enipam.aliyun.eni.EniIpFactory;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.FactorySettings;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
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
     * @param book where every call is written down; it may be of an earlier try
     * @param journal where each operation is written before the cloud is asked
     * @throws FactoryException if the cloud cannot be asked or says no; its message is one line and says what to do
     */
    public static AliyunCloud open(
            AliyunConfig config,
            CallBook book,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        return open(config, book, time, scheduler, events, journal, Pauses.SLEEP);
    }

    /** The same, with another way to wait between the tries of a call. */
    public static AliyunCloud open(
            AliyunConfig config,
            CallBook book,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal,
            Pauses pauses) {
        MetadataClient metadata = new MetadataClient(config.metadata());
        NodeIdentity node = metadata.identity();
        KeySource keys = CloudKeys.of(config.credentials(), metadata, time);
        try {
            EcsApi api = new PatientEcsApi(
                    SdkEcsApi.wire(keys, node.regionId(), config.endpoint()), keys, book, config.calls(), time, pauses);
            InstanceTypeLimits limits = api.describeInstanceType(node.instanceType());
            EniBounds.Outcome bounds = config.enis().bounds().on(limits.enis());
            NodeVSwitches vswitches = NodeVSwitches.find(config.enis().vswitches(), node, api);
            FactorySettings settings = settings(config.enis(), node, limits, bounds, api)
                    .keeping(bounds.min())
                    .choosing(
                            config.enis().vswitchPolicy(),
                            time.nanoTime() ^ node.instanceId().hashCode());
            vswitches.problems().forEach(problem -> events.warning("VSwitchUnusable", "vswitches", problem));
            bounds.adjustments().forEach(adjustment -> events.warning("ConfigAdjusted", "eni", adjustment));
            CallThreads threads = new CallThreads();
            AliyunCloud cloud = new AliyunCloud(
                    node.instanceId(),
                    new EniIpFactory(settings, vswitches.usable(), api, journal, time, scheduler, events, threads),
                    threads);
            cloud.factory.sweepRegularly();
            return cloud;
        } catch (EcsFailure e) {
            throw new FactoryException(e.kind(), e.getMessage() + advice(e.kind()), e);
        }
    }

    private static FactorySettings settings(
            EniConfig config, NodeIdentity node, InstanceTypeLimits limits, EniBounds.Outcome bounds, EcsApi api) {
        List<String> groups = config.securityGroups().isEmpty()
                ? api.describeSecurityGroups(node.instanceId())
                : config.securityGroups();
        Map<String, String> identity = EniTags.identity(EniTags.CREATOR_OF_ADDRESSES, node.instanceId());
        return new FactorySettings(
                node.instanceId(),
                groups,
                EniTags.all(identity, config.cluster(), config.tags()),
                identity,
                bounds.max(),
                Math.max(1, limits.ipv4PerEni()));
    }

    private static String advice(ErrorKind kind) {
        return switch (kind) {
            // the client has said whose fault it is
            case UNAUTHORIZED -> "";
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

    /** Deletes what this node left behind; it also runs by itself, every hour. */
    public EniSweeper sweeper() {
        return factory.sweeper();
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

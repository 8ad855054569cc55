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
import io.enipam.aliyun.eni.CloudFactory;
import io.enipam.aliyun.eni.EniBounds;
import io.enipam.aliyun.eni.EniFactory;
import io.enipam.aliyun.eni.EniIpFactory;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.eni.FactorySettings;
import io.enipam.aliyun.eni.KnownPairs;
import io.enipam.aliyun.eni.Slots;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudWitness;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cloud as this node sees it: its ENIs and the factories that work on them. The factories share the client with its
 * limits of calls, the threads, and the slots of the instance. Thread-safe.
 */
public final class AliyunCloud implements AutoCloseable {
    /** Builds a factory of one use. */
    private interface Builder {
        CloudFactory build(EniUse use, Places.Choice places);
    }

    private final String instanceId;
    private final String regionId;
    private final Builder builder;
    private final Places places;
    private final CallThreads threads;
    private final CloudWitness witness;
    private final CloudProbe probe;
    private final Map<EniUse, CloudFactory> factories = new EnumMap<>(EniUse.class);
    private final Set<EniUse> left = new HashSet<>();

    private AliyunCloud(
            String instanceId,
            String regionId,
            Builder builder,
            Places places,
            CallThreads threads,
            CloudWitness witness,
            CloudProbe probe) {
        this.instanceId = instanceId;
        this.regionId = regionId;
        this.builder = builder;
        this.places = places;
        this.threads = threads;
        this.witness = witness;
        this.probe = probe;
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
        KnownPairs known = config.known();
        MetadataClient metadata = new MetadataClient(config.metadata(), book.metadata());
        NodeIdentity node = metadata.identity();
        KeySource keys = CloudKeys.of(config.credentials(), metadata, time);
        try {
            EcsApi api = new PatientEcsApi(
                    SdkEcsApi.wire(keys, node.regionId(), config.endpoint()),
                    keys,
                    book,
                    config.calls(),
                    events,
                    time,
                    pauses);
            InstanceTypeLimits limits = api.describeInstanceType(node.instanceType());
            EniBounds.Outcome bounds = config.enis().bounds().on(limits.enis());
            Places places = new Places(config.enis(), node, api, events);
            FactorySettings settings =
                    settings(config.enis(), node, limits, bounds, api).keeping(bounds.min());
            long seed = time.nanoTime() ^ node.instanceId().hashCode();
            bounds.adjustments().forEach(adjustment -> events.warning("ConfigAdjusted", "eni", adjustment));
            CallThreads threads = new CallThreads();
            Slots slots = new Slots(settings.maxEnis(), Math.max(0, limits.enis() - 1));
            Builder builder = (use, there) -> {
                FactorySettings chosen = settings.choosing(there.policy(), seed);
                return switch (use) {
                    case ADDRESSES ->
                        new EniIpFactory(
                                chosen, there.usable(), api, journal, time, scheduler, events, threads, slots, known);
                    case WHOLE ->
                        new EniFactory(
                                chosen, there.usable(), api, journal, time, scheduler, events, threads, slots, known);
                };
            };
            CloudProbe probe = new CloudProbe(
                    node,
                    api,
                    keys,
                    metadata,
                    () -> places.now().configured(),
                    limits,
                    bounds,
                    config.enis().dual());
            CloudWitness witness =
                    new CloudLook(node.instanceId(), () -> places.now().ids(), api, threads);
            Builder configured = (use, there) -> {
                CloudFactory factory = builder.build(use, there);
                factory.lostEnis(config.enis().lostEni());
                return factory;
            };
            return new AliyunCloud(node.instanceId(), node.regionId(), configured, places, threads, witness, probe);
        } catch (EcsFailure e) {
            throw new FactoryException(e.kind(), e.getMessage() + advice(e.kind()), e);
        }
    }

    private static FactorySettings settings(
            EniConfig config, NodeIdentity node, InstanceTypeLimits limits, EniBounds.Outcome bounds, EcsApi api) {
        List<String> groups = config.securityGroups().isEmpty()
                ? api.describeSecurityGroups(node.instanceId())
                : config.securityGroups();
        if (config.dual() && limits.ipv6PerEni() == 0) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    "instance type " + node.instanceType()
                            + " allows no IPv6 address on an ENI, and 'ip_stack: dual' needs them; set 'ip_stack: ipv4', or"
                            + " take another instance type");
        }
        Map<String, String> identity = EniTags.identity(EniUse.ADDRESSES, node.instanceId());
        return new FactorySettings(
                        node.instanceId(),
                        groups,
                        EniTags.all(identity, config.cluster(), config.tags()),
                        identity,
                        bounds.max(),
                        Math.max(1, limits.ipv4PerEni()))
                .dual(config.dual() ? limits.ipv6PerEni() : 0);
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
        return factory(EniUse.ADDRESSES);
    }

    /** The factory of whole ENIs. */
    public ResourceFactory eniFactory() {
        return factory(EniUse.WHOLE);
    }

    /** The factory of a use: one until it leaves, and after that a new one, which finds in the cloud what there is. */
    public synchronized ResourceFactory factory(EniUse use) {
        if (left.remove(use)) {
            factories.remove(use).close();
        }
        return factories.computeIfAbsent(use, fresh -> {
            CloudFactory factory = builder.build(fresh, places.now());
            factory.sweepRegularly();
            return factory;
        });
    }

    /**
     * Makes the next ENIs elsewhere; those there are stay where they are. Blocks while the cloud is asked about the vSwitches.
     *
     * @param enis of which the vSwitches and the choice among them count alone
     * @throws FactoryException if none of them can be used, or the cloud does not answer: then all is as before
     */
    public void place(EniConfig enis) {
        try {
            if (places.move(enis)) {
                open().forEach(factory ->
                        factory.choose(places.now().usable(), places.now().policy()));
            }
        } catch (EcsFailure e) {
            throw new FactoryException(e.kind(), e.getMessage() + advice(e.kind()), e);
        }
    }

    /** Where the next ENIs are made, in order of preference, at least one. */
    public List<EcsApi.VSwitch> vswitches() {
        return places.now().usable();
    }

    /** Nobody uses the factory of a use any more, and the cloud stays open for another: see {@link CloudFactory#leave}. */
    public synchronized void leave(EniUse use) {
        CloudFactory factory = factories.get(use);
        if (factory != null && left.add(use)) {
            factory.leave();
        }
    }

    /** The ENIs of all uses, for inspection. */
    public EniDirectory enis() {
        return new EniDirectory() {
            @Override
            public List<Eni> enis() {
                return open().stream()
                        .flatMap(factory -> factory.directory().enis().stream())
                        .sorted(Comparator.comparing(Eni::id))
                        .toList();
            }

            @Override
            public Duration lag() {
                return open().stream()
                        .map(factory -> factory.directory().lag())
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
            }
        };
    }

    private synchronized List<CloudFactory> open() {
        return List.copyOf(factories.values());
    }

    /** What the cloud itself says of this node, past all books. */
    public CloudWitness witness() {
        return witness;
    }

    /** Deletes what this node left behind; it also runs by itself, every hour. */
    public EniSweeper sweeper() {
        return new JointSweeper(this::open);
    }

    /** Asks about what this node depends on. */
    public CloudProbe probe() {
        return probe;
    }

    /** This node's instance id. */
    public String instanceId() {
        return instanceId;
    }

    /** The region that this node's instance runs in. */
    public String regionId() {
        return regionId;
    }

    /** Ends the factories and their threads. What they made stays. */
    @Override
    public void close() {
        open().forEach(CloudFactory::close);
        threads.close();
    }
}

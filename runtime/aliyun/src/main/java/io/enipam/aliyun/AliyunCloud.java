package io.enipam.aliyun;

import io.enipam.aliyun.EniConfig.EniBounds;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.AsyncCalls;
import io.enipam.aliyun.client.MetadataClient.NodeIdentity;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.eni.CloudFactory;
import io.enipam.aliyun.eni.EniSlots;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.eni.FactorySettings;
import io.enipam.aliyun.eni.SweepRule;
import io.enipam.aliyun.lent.CloudLender;
import io.enipam.aliyun.lent.PluginEniSweeper;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cloud as this node sees it: its ENIs and the factories that work on them. The factories share the client with its
 * limits of calls, the threads, and the slots of the instance. Thread-safe.
 */
public final class AliyunCloud implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AliyunCloud.class);
    /**
     * More than an instance has ENIs: a call that waits out a throttled minute must not hold up those of other APIs.
     */
    private static final int MOST_CALLS = 64;

    private static final EniSweeper.Report NOTHING_SWEPT =
            new EniSweeper.Report(Instant.MAX, Duration.ZERO, false, 0, List.of());

    private final NodeIdentity node;
    private final BiFunction<EniUse, VSwitchSelector.Selection, CloudFactory> builder;
    private final VSwitchSelector places;
    private final ExecutorService threads;
    private final CloudInspector stateReader;
    private final CloudProbe probe;
    private final CloudLender.Session lent;
    private final PluginEniSweeper ofPlugins;
    private final Scheduler scheduler;
    private final AtomicBoolean sweepsForPlugins = new AtomicBoolean();
    private final Map<EniUse, CloudFactory> factories = new EnumMap<>(EniUse.class);
    private final Set<EniUse> left = new HashSet<>();

    private AliyunCloud(
            AliyunConfig config,
            CloudConnection connection,
            ExecutorService threads,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        node = connection.host();
        EcsApi api = connection.api();
        InstanceTypeLimits limits = api.describeInstanceType(node.instanceType());
        EniBounds.Outcome bounds = config.enis().bounds().resolve(limits.enis());
        places = new VSwitchSelector(config.enis(), node, api, events);
        FactorySettings settings = settings(config.enis(), node, limits, bounds, api);
        bounds.adjustments().forEach(adjustment -> events.warning("ConfigAdjusted", "eni", adjustment));
        this.threads = threads;
        EniSlots slots = new EniSlots(settings.limits().maxEnis(), Math.max(0, limits.enis() - 1));
        CloudFactory.Context context =
                new CloudFactory.Context(api, journal, time, scheduler, events, threads, slots, config.known());
        long seed = time.nanoTime() ^ node.instanceId().hashCode();
        builder = (use, there) -> {
            FactorySettings chosen = settings.withVSwitchPolicy(there.policy(), seed);
            CloudFactory factory =
                    new CloudFactory(use == EniUse.WHOLE ? chosen.forWholeEnis() : chosen, there.usable(), context);
            factory.setLostEniPolicy(config.enis().lostEni());
            return factory;
        };
        lent = new CloudLender.Session(
                api,
                connection.pauses(),
                node.instanceId(),
                () -> true,
                Optional.of(new CloudLender.LentNode(
                        node, limits, () -> places.current().usable(), settings.spec())));
        ofPlugins = new PluginEniSweeper(api, node.instanceId(), time, events, threads);
        this.scheduler = scheduler;
        probe = new CloudProbe(connection, places, limits, bounds, config.enis().dual());
        stateReader =
                new EcsStateReader(node.instanceId(), () -> places.current().ids(), api, threads);
    }

    /** Waits between the tries of a call by sleeping. */
    public static AliyunCloud open(
            AliyunConfig config,
            ApiCallLog book,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        return open(config, book, time, scheduler, events, journal, Sleeper.SLEEP);
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
            ApiCallLog book,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal,
            Sleeper pauses) {
        CloudConnection connection = CloudConnection.open(config, book, time, events, pauses);
        return open(config, connection, callThreads(), time, scheduler, events, journal);
    }

    /**
     * The same on a connection that is open already.
     *
     * @param threads run the calls of the cloud, which block, and end with this cloud
     */
    public static AliyunCloud open(
            AliyunConfig config,
            CloudConnection connection,
            ExecutorService threads,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        try {
            return new AliyunCloud(config, connection, threads, time, scheduler, events, journal);
        } catch (EcsException e) {
            throw new FactoryException(e.kind(), e.getMessage() + advice(e.kind()), e);
        }
    }

    /** Daemon threads, named {@code aliyun-N}. Each ENI has one call out at most, so the queue needs no bound. */
    private static ExecutorService callThreads() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                MOST_CALLS,
                MOST_CALLS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.numbered("aliyun"));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static FactorySettings settings(
            EniConfig config, NodeIdentity node, InstanceTypeLimits limits, EniBounds.Outcome bounds, EcsApi api) {
        List<String> groups = config.securityGroups().isEmpty()
                ? api.describeSecurityGroups(node.instanceId())
                : config.securityGroups();
        if (config.dual() && limits.ipv6PerEni() == 0) {
            String why = "instance type " + node.instanceType() + " allows no IPv6 address on an ENI, and 'ip_stack:"
                    + " dual' needs them; set 'ip_stack: ipv4', or take another instance type";
            throw new FactoryException(ErrorKind.MISCONFIGURED, why);
        }
        Map<String, String> identity = EniTags.identity(EniUse.ADDRESSES, node.instanceId());
        Map<String, String> tags = EniTags.all(identity, config.cluster(), config.tags());
        int ipv6 = config.dual() ? limits.ipv6PerEni() : 0;
        return new FactorySettings(
                new FactorySettings.EniSpec(node.instanceId(), groups, tags, identity),
                new FactorySettings.Limits(bounds.max(), bounds.min(), Math.max(1, limits.ipv4PerEni()), ipv6));
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

    /** The factory of a use: one until it leaves, and after that a new one, which finds in the cloud what there is. */
    public synchronized ResourceFactory factory(EniUse use) {
        if (left.remove(use)) {
            factories.remove(use).close();
        }
        return factories.computeIfAbsent(use, fresh -> {
            CloudFactory factory = builder.apply(fresh, places.current());
            factory.scheduleSweeps();
            return factory;
        });
    }

    /**
     * Makes the next ENIs elsewhere; those there are stay where they are. Blocks while the cloud is asked about the
     * vSwitches.
     *
     * @param enis of which the vSwitches and the choice among them count alone
     * @throws FactoryException if none of them can be used, or the cloud does not answer: then all is as before
     */
    public void updateVSwitches(EniConfig enis) {
        try {
            if (places.update(enis)) {
                open().forEach(factory -> factory.setVSwitches(
                        places.current().usable(), places.current().policy()));
            }
        } catch (EcsException e) {
            throw new FactoryException(e.kind(), e.getMessage() + advice(e.kind()), e);
        }
    }

    /** Where the next ENIs are made, in order of preference, at least one. */
    public List<EcsApi.VSwitch> vswitches() {
        return places.current().usable();
    }

    /** Ends the factory of a use, while the cloud stays open for another one: see {@link CloudFactory#drain}. */
    public synchronized void drain(EniUse use) {
        CloudFactory factory = factories.get(use);
        if (factory != null && left.add(use)) {
            factory.drain();
        }
    }

    /** The ENIs of all uses, for inspection. */
    public EniDirectory enis() {
        return new EniDirectory() {
            @Override
            public List<Eni> enis() {
                return open().stream()
                        .flatMap(factory -> factory.enis().stream())
                        .sorted(Comparator.comparing(Eni::id))
                        .toList();
            }

            @Override
            public Duration lag() {
                return open().stream()
                        .map(CloudFactory::lag)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
            }
        };
    }

    private synchronized List<CloudFactory> open() {
        return List.copyOf(factories.values());
    }

    /** What the cloud itself says of this node, without the daemon's registries. */
    public CloudInspector stateReader() {
        return stateReader;
    }

    /** What plugins' calls go through; from now on, what plugins left behind is swept every hour. */
    public CloudLender.Session lend() {
        if (sweepsForPlugins.compareAndSet(false, true)) {
            scheduleSweep(SweepRule.FIRST);
        }
        return lent;
    }

    private void scheduleSweep(Duration pause) {
        scheduler.after(pause, () -> {
            if (!threads.isShutdown()) {
                ofPlugins.sweep(false).whenComplete((report, failure) -> {
                    if (failure != null) {
                        LOG.warn("what plugins left in the cloud could not be swept: {}", failure.getMessage());
                    }
                    scheduleSweep(failure == null ? SweepRule.EVERY : SweepRule.AFTER_FAILURE);
                });
            }
        });
    }

    /** Deletes what this node and its plugins left behind; it also runs by itself, every hour. */
    public EniSweeper sweeper() {
        return dryRun -> {
            CompletionStage<EniSweeper.Report> all =
                    sweepsForPlugins.get() ? ofPlugins.sweep(dryRun) : CompletableFuture.completedStage(NOTHING_SWEPT);
            for (CloudFactory factory : open()) {
                all = all.thenCombine(factory.sweeper().sweep(dryRun), AliyunCloud::sum);
            }
            return all;
        };
    }

    private static EniSweeper.Report sum(EniSweeper.Report one, EniSweeper.Report other) {
        return new EniSweeper.Report(
                Collections.min(List.of(one.startedAt(), other.startedAt())),
                Collections.max(List.of(one.took(), other.took())),
                one.dryRun() || other.dryRun(),
                one.examined() + other.examined(),
                Stream.concat(one.candidates().stream(), other.candidates().stream())
                        .sorted(Comparator.comparing(EniSweeper.Candidate::id))
                        .toList());
    }

    public CloudProbe probe() {
        return probe;
    }

    public String instanceId() {
        return node.instanceId();
    }

    public String regionId() {
        return node.regionId();
    }

    /** Ends the factories and their threads. What they made stays. */
    @Override
    public void close() {
        open().forEach(CloudFactory::close);
        // calls that are out end by their timeouts, and their outcome is dropped
        threads.shutdownNow();
    }

    /**
     * Reads what the cloud has of this node: for each use of ENIs those with its tags, those on the instance, and the vSwitches
     * they live in. Lists of ENIs are asked for anew each time; so is a vSwitch, whose free addresses change. Thread-safe.
     *
     * @param vswitches where new ENIs come from at the moment
     */
    record EcsStateReader(String instanceId, Supplier<List<String>> vswitches, EcsApi api, Executor calls)
            implements CloudInspector {
        private static final Logger LOG = LoggerFactory.getLogger(EcsStateReader.class);

        @Override
        public CompletionStage<CloudState> inspect() {
            return AsyncCalls.ask(calls, this::look);
        }

        private CloudState look() {
            Map<String, ObservedEni> enis = new TreeMap<>();
            for (EniUse use : EniUse.values()) {
                api.describeNetworkInterfaces(EniTags.identity(use, instanceId))
                        .forEach(eni -> enis.put(eni.id(), seen(eni, true)));
            }
            // the later answer is the better one
            api.describeAttached(instanceId).forEach(eni -> enis.put(eni.id(), seen(eni, enis.containsKey(eni.id()))));
            Set<String> places = new TreeSet<>(vswitches.get());
            enis.values().forEach(eni -> places.add(eni.vswitch()));
            List<ObservedVSwitch> found = new ArrayList<>();
            for (String place : places) {
                try {
                    VSwitch vswitch = api.describeVSwitch(place);
                    found.add(new ObservedVSwitch(vswitch.id(), vswitch.cidr(), vswitch.available()));
                } catch (EcsException e) {
                    // the ENIs are the testimony: a vSwitch that cannot be read is one that is not known, and no more
                    LOG.warn("vSwitch {} could not be read, so its range is not known: {}", place, e.getMessage());
                }
            }
            return new CloudState(instanceId, List.copyOf(enis.values()), found);
        }

        @Override
        public CompletionStage<List<ObservedEni>> holders(String vswitch, List<String> ips) {
            return AsyncCalls.ask(
                    calls,
                    () -> api.describeNetworkInterfacesByIp(vswitch, ips).stream()
                            .map(eni -> seen(eni, false))
                            .toList());
        }

        private static ObservedEni seen(NetworkInterface eni, boolean tagged) {
            EniAddresses addresses = new EniAddresses(eni.primaryIp(), eni.ips(), eni.ipv6s());
            String status = eni.status().label();
            return new ObservedEni(
                    eni.id(), status, eni.instanceId(), eni.mac(), eni.vswitchId(), addresses, tagged, eni.secondary());
        }
    }
}

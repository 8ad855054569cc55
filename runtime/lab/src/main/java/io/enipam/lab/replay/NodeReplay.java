package io.enipam.lab.replay;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.CloudConnection;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.client.MetadataClient.NodeIdentity;
import io.enipam.aliyun.client.RetryingEcsApi;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.client.SdkEcsApi;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.ClusterConfig;
import io.enipam.config.DaemonConfig;
import io.enipam.emulator.EmulatedCloud;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.SharedAccount;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.http.CallCounts.ActionCallStats;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler.Cancellable;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.lab.replay.Fleet.Arrival;
import io.enipam.lab.replay.Fleet.Arrivals;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceState;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One node of a replay, with the part of the cloud that has its ENIs and with its own virtual time, which stands wherever the node's last
 * task was due: {@link FleetScheduler} runs its tasks.
 */
final class NodeReplay implements FleetScheduler.Tasks {
    /** As long as the daemon lets an ADD wait. */
    static final Duration ADD_TIMEOUT = Duration.ofSeconds(110);
    /** After a failed ADD, the kubelet makes another sandbox; so much later here. */
    static final Duration RETRY = Duration.ofSeconds(10);

    private static final long SAMPLE = Duration.ofSeconds(1).toNanos();
    private static final URI NOWHERE = URI.create("http://in-process");
    private static final EventSink UNHEARD = (severity, type, subject, message, attributes) -> {};

    private final Environment environment;
    private final Host host;
    private final int number;
    private final EmulatorConfig site;
    private final Arrivals arrivals;
    private final StickRule stick;
    private final VirtualTime time = new VirtualTime();
    private final BlockingCalls calls;
    private final ReplayedNode node = new ReplayedNode();
    private final EmulatedCloud cloud;
    private final InProcessCloud wire;
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private @Nullable IpamEngine engine;

    private final Map<OwnerKey, Running> running = new LinkedHashMap<>();
    private final Map<String, Long> failures = new TreeMap<>();
    private long[] waits;
    private int answered;
    private int came;
    private long idleSamples;
    private long heldSamples;
    private int mostHeld;
    private boolean counting;
    private long origin;
    private long comes = Long.MAX_VALUE;
    private long sampled;
    /** Calls of the cloud before the trace began. */
    private Map<String, ActionCallStats> counted = Map.of();

    private long exhaustedBefore;

    /**
     * A pod that comes.
     *
     * @param name NAMESPACE/NAME
     * @param lives from its address to its end; empty if it has none
     */
    record Coming(String name, String ownerKind, Optional<Duration> lives) {
        Coming renamed(String other) {
            return new Coming(other, ownerKind, lives);
        }

        Coming living(Optional<Duration> left) {
            return new Coming(name, ownerKind, left);
        }
    }

    /** Where pods come from. */
    interface Host {
        /** A pod of the node's trace comes at that moment, by the node's time. */
        void come(NodeReplay home, Coming pod, long at);
    }

    private record Sandboxed(Coming coming, Pod pod, int number) {}

    /** A pod that has its address, and when it goes, by this node's time; never, if it has no end. */
    private record Running(Sandboxed sandboxed, long goes, Optional<Cancellable> end) {}

    /**
     * What the nodes of a replay have in common.
     *
     * @param scheduler runs them
     * @param shared the account's flow control and vSwitches
     */
    record Environment(
            DaemonConfig config,
            EngineConfig engine,
            EniUse use,
            PolicyChoice choice,
            PolicyCatalog policies,
            FleetScheduler scheduler,
            InProcessCloud.AnswerReader reader,
            SharedAccount shared) {}

    /** @param site with the one instance that is this node */
    NodeReplay(Environment environment, Host host, int number, Arrivals arrivals, EmulatorConfig site) {
        this.environment = environment;
        this.host = host;
        this.number = number;
        this.site = site;
        this.arrivals = arrivals;
        ClusterConfig cluster = environment.config().cluster();
        this.stick = new StickRule(cluster.statefulKinds(), cluster.stick());
        this.waits = new long[arrivals.left()];
        this.calls = new BlockingCalls(
                time, environment.scheduler(), environment.scheduler().add(this));
        this.cloud = new EmulatedCloud(site, environment.shared(), MetadataSettings.USUAL, calls);
        this.wire = new InProcessCloud(cloud, environment.reader());
    }

    /** From 0. */
    int number() {
        return number;
    }

    EmulatedCloud cloud() {
        return cloud;
    }

    /** When the next pod of its own comes, by the node's time; the greatest number if none does. */
    long comes() {
        return comes;
    }

    @Override
    public long nextDue() {
        return time.nextDue().orElse(Long.MAX_VALUE);
    }

    @Override
    public void runNext(long at) {
        sample(at);
        time.runNext(at);
    }

    /** Starts it at that time; the future fails with what keeps it from starting. */
    CompletableFuture<Void> start(Duration at) {
        SplittableRandom random = new SplittableRandom(site.seed());
        PoolPolicy policy = environment.policies().open(environment.choice(), time);
        time.after(
                at,
                () -> calls.execute(() -> {
                    try {
                        IpamEngine made = engine(policy, random);
                        engine = made;
                        made.start().whenComplete((done, failure) -> {
                            if (failure == null) {
                                started.complete(null);
                            } else {
                                started.completeExceptionally(failure);
                            }
                        });
                    } catch (RuntimeException e) {
                        started.completeExceptionally(e);
                    }
                }));
        return started;
    }

    private NodeIpam engine(PoolPolicy policy, SplittableRandom random) {
        AliyunCloud client = connect(random);
        EniUse use = environment.use();
        EngineContext context =
                new EngineContext(time, time, random.split(), new MemoryDb(time, () -> Duration.ZERO), UNHEARD);
        return new NodeIpam(
                environment.choice().pool().in(environment.engine()),
                new EnginePorts(
                        context,
                        node,
                        node,
                        FactorySet.of(new NamedFactory(use.factory(), client.factory(use))),
                        new DirectPolicy(policy, UNHEARD)));
    }

    private AliyunCloud connect(SplittableRandom random) {
        AliyunConfig wanted = environment.config().cloud(site, NOWHERE, NOWHERE);
        ApiCallLog book = new ApiCallLog(time, random.split(), wanted.calls().perMinute());
        MetadataClient metadata = new MetadataClient(NOWHERE, book.metadata());
        CredentialsProvider keys = CredentialsProvider.of(wanted.credentials(), metadata, time);
        CloudState now = cloud.now();
        Instance instance = now.layout().instances().get(0);
        NodeIdentity identity = new NodeIdentity(
                instance.id(),
                instance.type(),
                now.layout().regionId(),
                now.zoneOf(instance),
                now.layout().vpc().id(),
                instance.vswitchId(),
                now.enisOn(instance.id()).get(0).mac());
        var transport = SdkEcsApi.transport(identity.regionId(), wire);
        var api = new RetryingEcsApi(new CallContext(transport, keys, book, wanted.calls(), UNHEARD, time, calls));
        CloudConnection connection = new CloudConnection(identity, metadata, keys, api, calls);
        return AliyunCloud.open(wanted, connection, calls, time, time, UNHEARD, new MemoryCloudJournal());
    }

    /** The trace begins: from now on everything is counted. */
    void begin(long now) {
        origin = now;
        sampled = now;
        counting = true;
        counted = counts();
        exhaustedBefore = wire.exhausted();
        next();
    }

    private Map<String, ActionCallStats> counts() {
        Map<String, ActionCallStats> byName = new TreeMap<>();
        cloud.control().calls().forEach(stats -> byName.put(stats.api(), stats));
        return byName;
    }

    /** The next sandbox is the only one in the queue of time: a day of pods is not. */
    private void next() {
        comes = Long.MAX_VALUE;
        if (arrivals.left() > 0) {
            Arrival arrival = arrivals.next();
            comes = Math.max(time.nanoTime(), origin + arrival.at().toNanos());
            time.after(Duration.ofNanos(comes - time.nanoTime()), () -> {
                Sandbox sandbox = arrival.sandbox();
                host.come(this, new Coming(sandbox.pod(), sandbox.ownerKind(), sandbox.lives()), time.nanoTime());
                next();
            });
        }
    }

    /** A pod comes at that moment, which has not passed on this node. */
    void come(Coming coming, long at) {
        int number = came++;
        time.after(Duration.ofNanos(Math.max(0, at - time.nanoTime())), () -> {
            Pod pod = new Pod(PodRef.parse(coming.name()), "uid-" + number, false, stick.of(coming.ownerKind()));
            node.put(pod);
            add(new Sandboxed(coming, pod, number), 0, time.nanoTime());
        });
    }

    private void add(Sandboxed sandboxed, int attempt, long since) {
        Pod pod = sandboxed.pod();
        OwnerKey owner = new OwnerKey("enipam", "c" + sandboxed.number() + "-" + attempt, "eth0");
        AddCommand command = new AddCommand(owner, pod.ref(), pod.uid(), LinkRequest.simulated(), ADD_TIMEOUT, "lab");
        engine().add(command).whenComplete((outcome, failure) -> {
            if (!counting) {
                return;
            }
            if (failure == null) {
                waited(time.nanoTime() - since);
                runs(owner, sandboxed);
                return;
            }
            String code = Stages.cause(failure) instanceof IpamException known
                    ? known.code().name()
                    : Stages.cause(failure).getClass().getSimpleName();
            failures.merge(code, 1L, Long::sum);
            engine().del(owner);
            time.after(RETRY, () -> add(sandboxed, attempt + 1, since));
        });
    }

    private void waited(long nanos) {
        if (answered == waits.length) {
            waits = Arrays.copyOf(waits, answered + answered / 2 + 8);
        }
        waits[answered++] = nanos;
    }

    private void runs(OwnerKey owner, Sandboxed sandboxed) {
        Optional<Duration> lives = sandboxed.coming().lives();
        Optional<Cancellable> end = lives.map(left -> time.after(left, () -> {
            running.remove(owner);
            go(owner, sandboxed.pod());
        }));
        long goes = lives.map(left -> time.nanoTime() + left.toNanos()).orElse(Long.MAX_VALUE);
        running.put(owner, new Running(sandboxed, goes, end));
    }

    private void go(OwnerKey owner, Pod pod) {
        node.remove(pod);
        engine().del(owner);
    }

    /** Ends all pods that have an address at that moment; returns them with what is left of their lives, as they have to come elsewhere. */
    List<Coming> drain(long at) {
        sample(at);
        time.advance(Duration.ofNanos(at - time.nanoTime()));
        List<Coming> moved = new ArrayList<>();
        running.forEach((owner, one) -> {
            one.end().ifPresent(Cancellable::cancel);
            go(owner, one.sandboxed().pod());
            Coming coming = one.sandboxed().coming();
            moved.add(coming.living(coming.lives().map(all -> Duration.ofNanos(one.goes() - at))));
        });
        running.clear();
        return moved;
    }

    /** Between two tasks nothing changes: the samples since the last one are all alike. */
    private void sample(long until) {
        long seconds = counting ? (until - sampled) / SAMPLE : 0;
        if (seconds > 0) {
            PoolSummary pool = engine().poolSummary();
            idleSamples += seconds * pool.count(ResourceState.IDLE);
            heldSamples += seconds * pool.held();
            mostHeld = Math.max(mostHeld, pool.held());
            sampled += seconds * SAMPLE;
        }
    }

    /** The trace is over at that moment: what comes after is not counted. */
    void end(long at) {
        sample(at);
        counting = false;
    }

    /** Ends its calls. */
    void close() {
        calls.shutdown();
    }

    private IpamEngine engine() {
        IpamEngine opened = engine;
        if (opened == null) {
            throw new IllegalStateException("the node has not started");
        }
        return opened;
    }

    /** What is counted; the waits of its pods are not in order. */
    Figures figures() {
        Map<String, Long> made = new TreeMap<>();
        long throttled = 0;
        for (ActionCallStats now : counts().values()) {
            ActionCallStats then = counted.getOrDefault(now.api(), new ActionCallStats(now.api(), 0, 0, 0));
            if (now.calls() > then.calls()) {
                made.put(now.api(), now.calls() - then.calls());
            }
            throttled += now.throttled() - then.throttled();
        }
        return new Figures(
                ReplayResult.Waits.of(came + arrivals.left(), waits()),
                new ReplayResult.Cloud(made, throttled),
                new ReplayResult.Addresses(hours(idleSamples), hours(heldSamples), mostHeld),
                failures,
                wire.exhausted() - exhaustedBefore);
    }

    /** @param exhausted calls that were refused since a vSwitch had no address left */
    record Figures(
            ReplayResult.Waits waits,
            ReplayResult.Cloud cloud,
            ReplayResult.Addresses addresses,
            Map<String, Long> failures,
            long exhausted) {}

    long[] waits() {
        return Arrays.copyOf(waits, answered);
    }

    private static double hours(long samples) {
        return samples * SAMPLE / (double) Duration.ofHours(1).toNanos();
    }
}

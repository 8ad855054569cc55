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
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.emulator.EmulatedCloud;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.EmulatorOptions;
import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.http.CallCounts.ActionCallStats;
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
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceState;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleConsumer;

/**
 * One trace, replayed with one policy. The engine, its pool, the ENI factory with its client of the cloud, and the policy are those
 * that ship; time, database, kernel and API server are in memory, and the cloud is the emulator's in this process. Everything runs
 * one step at a time in virtual time, so that trace, configuration and seed alone decide the result.
 *
 * <p>Disk, kernel and API server take no time here: a pod waits for an address, or it does not wait.
 */
public final class Replay {
    /** As long as the daemon lets an ADD wait. */
    static final Duration ADD_TIMEOUT = Duration.ofSeconds(110);
    /** After a failed ADD, the kubelet makes another sandbox; so much later here. */
    static final Duration RETRY = Duration.ofSeconds(10);
    /** From the start of the node to the beginning of the trace, at least; then the next full minute begins it. */
    static final Duration WARM_UP = Duration.ofMinutes(2);

    private static final Duration LONGEST_START = Duration.ofMinutes(30);
    private static final Duration SAMPLE = Duration.ofSeconds(1);
    private static final URI NOWHERE = URI.create("http://in-process");
    private static final EventSink UNHEARD = (severity, type, subject, message, attributes) -> {};

    private final VirtualTime time = new VirtualTime();
    private final BlockingCalls calls = new BlockingCalls(time);
    private final ReplayedNode node = new ReplayedNode();
    private final Trace trace;
    private final DaemonConfig config;
    private final EmulatedCloud cloud;
    private final AliyunCloud client;
    private final IpamEngine engine;

    private final long[] waits;
    private int answered;
    private int arrived;
    private final Map<String, Long> failures = new TreeMap<>();
    private long idleSamples;
    private long heldSamples;
    private int mostHeld;
    private long origin;
    /** Calls of the cloud before the trace began. */
    private Map<String, ActionCallStats> counted = Map.of();

    private boolean over;

    private Replay(Trace trace, CloudProfile profile, PolicyChoice choice, PolicyCatalog policies, long seed) {
        this.trace = trace;
        this.waits = new long[trace.sandboxes().size()];
        this.config = profile.config(policies.known());
        EmulatorConfig site = config.emulator(Path.of(""), "replay").withSeed(seed);
        EmulatorOptions options =
                new EmulatorOptions(profile.throttle(), MetadataSettings.USUAL, Optional.empty(), Optional.empty());
        this.cloud = new EmulatedCloud(site, options, calls);
        profile.errors()
                .forEach((api, percent) -> cloud.control()
                        .faults()
                        .add(FaultRule.on(api).percent(percent).fail("InternalError")));
        SplittableRandom random = new SplittableRandom(seed);
        PoolPolicy policy = policies.open(choice, time);
        String named = config.get(Schema.FACTORY);
        EniUse use = Arrays.stream(EniUse.values())
                .filter(one -> one.factory().equals(named))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("pool.factory is '" + named
                        + "', and a replay knows those of the cloud alone: eni-ip and eni"));
        this.client = settled(CompletableFuture.supplyAsync(() -> connect(site, random), calls));
        ResourceFactory factory = client.factory(use);
        this.engine = new NodeIpam(
                choice.pool().in(CloudProfile.engine(config)),
                new EnginePorts(
                        new EngineContext(time, time, random.split(), new MemoryDb(time, () -> Duration.ZERO), UNHEARD),
                        node,
                        node,
                        FactorySet.of(new NamedFactory(use.factory(), factory)),
                        new DirectPolicy(policy, UNHEARD)));
    }

    /**
     * Replays a trace. Blocks for as long as it takes to compute.
     *
     * @param progress told now and then which part is done, 0 to 1
     * @param goOn asked now and then; once it says no, the replay ends
     * @return empty if it did not go on to the end
     * @throws IllegalArgumentException if the policy cannot be opened, or the cloud not be made
     * @throws io.enipam.config.ConfigException if the configuration is wrong
     */
    public static Optional<ReplayResult> run(
            Trace trace,
            CloudProfile profile,
            PolicyChoice choice,
            PolicyCatalog policies,
            long seed,
            DoubleConsumer progress,
            BooleanSupplier goOn) {
        Replay replay = new Replay(trace, profile, choice, policies, seed);
        try {
            return replay.run(progress, goOn) ? Optional.of(replay.result(choice, seed)) : Optional.empty();
        } finally {
            replay.calls.shutdown();
        }
    }

    private AliyunCloud connect(EmulatorConfig site, SplittableRandom random) {
        AliyunConfig wanted = config.cloud(site, NOWHERE, NOWHERE);
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
        var wire = SdkEcsApi.transport(keys, identity.regionId(), new InProcessCloud(cloud));
        var api = new RetryingEcsApi(new CallContext(wire, keys, book, wanted.calls(), UNHEARD, time, calls));
        CloudConnection connection = new CloudConnection(identity, metadata, keys, api, calls);
        return AliyunCloud.open(wanted, connection, calls, time, time, UNHEARD, new MemoryCloudJournal());
    }

    /** Lets time pass until it is done. */
    private <T> T settled(CompletableFuture<T> future) {
        for (long passed = 0; !future.isDone() && passed < LONGEST_START.toSeconds(); passed++) {
            time.advance(Duration.ofSeconds(1));
        }
        if (!future.isDone()) {
            throw new IllegalArgumentException("the node does not start within " + LONGEST_START.toMinutes()
                    + " min of its time; does the cloud of the profile let any call through?");
        }
        try {
            return future.join();
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "the node does not start: " + Stages.cause(e).getMessage(), Stages.cause(e));
        }
    }

    private boolean run(DoubleConsumer progress, BooleanSupplier goOn) {
        settled(engine.start());
        time.advance(WARM_UP);
        long minute = Duration.ofMinutes(1).toNanos();
        time.advance(Duration.ofNanos(minute - Math.floorMod(time.nanoTime(), minute)));
        origin = time.nanoTime();
        counted = counts();
        next();
        time.after(SAMPLE, this::sample);
        long length = trace.length().toNanos();
        for (long at = 0; at < length; at += minute) {
            if (!goOn.getAsBoolean()) {
                return false;
            }
            progress.accept((double) at / length);
            time.advance(Duration.ofNanos(Math.min(minute, length - at)));
        }
        over = true;
        progress.accept(1);
        return true;
    }

    private Map<String, ActionCallStats> counts() {
        Map<String, ActionCallStats> byName = new TreeMap<>();
        cloud.control().calls().forEach(stats -> byName.put(stats.api(), stats));
        return byName;
    }

    /** The next sandbox is the only one in the queue of time: a day of pods is not. */
    private void next() {
        if (arrived < trace.sandboxes().size()) {
            int number = arrived++;
            Sandbox sandbox = trace.sandboxes().get(number);
            long left = origin + sandbox.at().toNanos() - time.nanoTime();
            time.after(Duration.ofNanos(Math.max(0, left)), () -> {
                Pod pod = new Pod(
                        PodRef.parse(sandbox.pod()),
                        "uid-" + number,
                        false,
                        isStateful(sandbox) ? config.cluster().stick() : Duration.ZERO);
                node.put(pod);
                add(sandbox, pod, number, 0, time.nanoTime());
                next();
            });
        }
    }

    private boolean isStateful(Sandbox sandbox) {
        return sandbox.ownerKind().equals("StatefulSet")
                || config.cluster().statefulKinds().contains(sandbox.ownerKind());
    }

    private void add(Sandbox sandbox, Pod pod, int number, int attempt, long since) {
        OwnerKey owner = new OwnerKey("enipam", "c" + number + "-" + attempt, "eth0");
        AddCommand command = new AddCommand(owner, pod.ref(), pod.uid(), LinkRequest.simulated(), ADD_TIMEOUT, "lab");
        engine.add(command).whenComplete((outcome, failure) -> {
            if (over) {
                return;
            }
            if (failure == null) {
                waits[answered++] = time.nanoTime() - since;
                sandbox.lives()
                        .ifPresent(lives -> time.after(lives, () -> {
                            node.remove(pod);
                            engine.del(owner);
                        }));
                return;
            }
            String code = Stages.cause(failure) instanceof IpamException known
                    ? known.code().name()
                    : Stages.cause(failure).getClass().getSimpleName();
            failures.merge(code, 1L, Long::sum);
            engine.del(owner);
            time.after(RETRY, () -> add(sandbox, pod, number, attempt + 1, since));
        });
    }

    private void sample() {
        PoolSummary pool = engine.poolSummary();
        idleSamples += pool.count(ResourceState.IDLE);
        heldSamples += pool.held();
        mostHeld = Math.max(mostHeld, pool.held());
        time.after(SAMPLE, this::sample);
    }

    private ReplayResult result(PolicyChoice choice, long seed) {
        Map<String, Long> made = new TreeMap<>();
        long throttled = 0;
        for (ActionCallStats now : counts().values()) {
            ActionCallStats then = counted.getOrDefault(now.api(), new ActionCallStats(now.api(), 0, 0, 0));
            if (now.calls() > then.calls()) {
                made.put(now.api(), now.calls() - then.calls());
            }
            throttled += now.throttled() - then.throttled();
        }
        return new ReplayResult(
                choice.text(),
                seed,
                ReplayResult.Waits.of(trace.sandboxes().size(), Arrays.copyOf(waits, answered)),
                new ReplayResult.Cloud(made, throttled),
                new ReplayResult.Addresses(hours(idleSamples), hours(heldSamples), mostHeld),
                failures);
    }

    private static double hours(long samples) {
        return samples * SAMPLE.toNanos() / (double) Duration.ofHours(1).toNanos();
    }
}

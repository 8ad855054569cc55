package io.enipam.daemon.warmup;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.frontends.cni.CniHandler;
import io.enipam.frontends.cni.CniHandler.ClaimContext;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.CniSocket;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.pods.NodePods;
import io.enipam.observability.history.MeteredDb;
import io.enipam.observability.history.MeteredDisk;
import io.enipam.observability.history.Meters;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.StoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A node of its own in this process, made of the shipped parts: the CNI's socket and handler, the engine, the journal, the
 * datapath and the meters. Cloud, pods and the journal's disk are in memory, the changes of the kernel are discarded, and events go
 * nowhere. It shares nothing with the node that serves. Its files are in one directory of its own, which goes when it is closed. Not
 * thread-safe.
 */
final class InMemoryNode implements AutoCloseable {
    private static final String CONFIG =
            "{\"cniVersion\":\"1.0.0\",\"name\":\"enipam\",\"type\":\"enipam-cni\",\"runtimeConfig\":{},\"dns\":{}}";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String NETWORK = "enipam";
    private static final String LINK = "eth0";
    private static final String UID = "00000000-0000-0000-0000-000000000000";

    /** How many pods come at once. */
    static final int PODS = 10;

    private final Path home;
    private final Path path;
    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final ResourceDb db;
    private final NodeDatapath kernel;
    private final IpamEngine engine;
    private final CniSocket socket;
    private final List<byte[]> adds = frames("ADD");
    private final List<byte[]> dels = frames("DEL");

    /**
     * Opens it; it serves then.
     *
     * @param directory exists, and no file in it is called {@code w}
     */
    InMemoryNode(
            BiFunction<EngineConfig, EnginePorts, IpamEngine> assembly,
            PoolPolicy policy,
            NodeNetwork node,
            Path directory)
            throws Exception {
        // short names: the path of a socket has 108 bytes at most
        home = Files.createDirectory(directory.resolve("w"));
        path = home.resolve("s");
        SystemTime time = new SystemTime();
        EventSink nowhere = (severity, type, subject, message, attributes) -> {};
        TraceRing traces = new TraceRing(time, new TraceBounds(TraceBounds.SHARE, 1 << 20));
        Meters meters = new Meters(time, new ApiCallLog(time, new SplittableRandom(), Map.of(), traces));
        db = new MeteredDb(
                JournaledResourceDb.open(
                        home, StoreOptions.defaults(), new MeteredDisk(new DiscardingDisk(), meters.forces())),
                meters);
        Duration never = Duration.ofHours(24);
        NodePods pods = new WatchedPods();
        kernel = new NodeDatapath(
                home.resolve("simulated"),
                home.resolve("callers"),
                DiscardingKernel.open(
                        home,
                        node,
                        IntStream.range(0, PODS)
                                .mapToObj(pod -> new OwnerKey(NETWORK, container(pod), LINK))
                                .toList()),
                Optional::empty);
        engine = meters.counting(assembly.apply(
                new EngineConfig(
                        new Watermarks(0, PODS, PODS),
                        Set.of(Family.IPV4),
                        Duration.ZERO,
                        PATIENCE,
                        new EngineConfig.Intervals(never, never, never)),
                new EnginePorts(
                        new EngineContext(time, scheduler, new SplittableRandom(), db, nowhere, traces),
                        pods,
                        kernel,
                        FactorySet.of(new NamedFactory("memory", new PreallocatedFactory(PODS))),
                        new DirectPolicy(policy, nowhere))));
        CniContext context = new CniContext(
                engine,
                pods,
                kernel,
                new Troubles(
                        engine,
                        db,
                        kernel,
                        Optional::empty,
                        Optional::empty,
                        true,
                        List::of,
                        Optional.of(Troubles.Node.ALONE)),
                new ClaimContext(Claims.none(time, scheduler), traces, meters),
                () -> PATIENCE);
        socket = CniSocket.open(path, new CniHandler(context, nowhere, meters.cni()::add)::handle, nowhere, scheduler);
        try {
            engine.start().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            close();
            throw e;
        }
    }

    /** All pods come at once, and then go at once, by two calls of the socket each; returns when all are answered. */
    void burst() throws IOException {
        call(adds);
        call(dels);
    }

    private void call(List<byte[]> frames) throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try {
            for (byte[] frame : frames) {
                SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
                channels.add(channel);
                channel.write(ByteBuffer.wrap(frame));
            }
            for (SocketChannel channel : channels) {
                CniResponse answer = FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(channel)));
                if (answer.exit() != 0) {
                    throw new IllegalStateException(new String(answer.stdout(), StandardCharsets.UTF_8));
                }
            }
        } finally {
            for (SocketChannel channel : channels) {
                channel.close();
            }
        }
    }

    private static String container(int pod) {
        return String.format(Locale.ROOT, "%064d", pod);
    }

    private static List<byte[]> frames(String command) {
        return IntStream.range(0, PODS).mapToObj(pod -> frame(command, pod)).toList();
    }

    private static byte[] frame(String command, int pod) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "CNI_COMMAND",
                command,
                "CNI_CONTAINERID",
                container(pod),
                "CNI_IFNAME",
                LINK,
                "CNI_NETNS",
                DiscardingKernel.POD_NETNS,
                "CNI_NETNS_OVERRIDE",
                "1",
                "CNI_PATH",
                "/opt/cni/bin",
                "CNI_ARGS",
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=in-memory-" + pod
                        + (pod % 2 == 0 ? ";K8S_POD_UID=" + UID : "")));
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try {
            FrameCodec.write(
                    new CniRequest(variables, CONFIG.getBytes(StandardCharsets.UTF_8)), new DataOutputStream(frame));
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot be written", e);
        }
        return frame.toByteArray();
    }

    /** Pods that a watch has. Calls for every second one name no UID, so that these are looked up. Thread-safe. */
    private static final class WatchedPods implements NodePods {
        @Override
        public void admit(PodRef pod, String leaseUid) {
            // it is there
        }

        @Override
        public void delete(PodRef pod) {
            throw new UnsupportedOperationException("pods of the warm-up go by DEL");
        }

        @Override
        public Optional<Pod> lastKnown(PodRef pod) {
            return Optional.of(new Pod(pod, UID, false, Duration.ZERO));
        }

        @Override
        public CompletionStage<Optional<Pod>> find(PodRef pod) {
            return CompletableFuture.completedStage(lastKnown(pod));
        }

        @Override
        public CompletionStage<List<Pod>> list() {
            return CompletableFuture.completedStage(List.of());
        }

        @Override
        public boolean isAuthoritative() {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        engine.close();
        kernel.close();
        db.close();
        scheduler.close();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}

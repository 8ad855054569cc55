package io.enipam.daemon.warmup;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.frontends.cni.CniHandler;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.CniSocket;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.pods.UnverifiedPods;
import io.enipam.observability.history.MeteredDb;
import io.enipam.observability.history.MeteredDisk;
import io.enipam.observability.history.Meters;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.Family;
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
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

/**
 * A node of its own in this process, made of the shipped parts: the CNI's socket and handler, the engine, the journal and
 * the meters. Cloud, kernel, pods and disk are in memory; events go nowhere. It shares nothing with the node that serves.
 * Its files are its socket and the empty {@code lock} of its database, and go when it is closed. Not thread-safe.
 */
final class InMemoryNode implements AutoCloseable {
    /** The daemon's own namespace: it is there, and nothing enters it. */
    private static final String NETNS = "/proc/self/ns/net";

    private static final String CONFIG =
            "{\"cniVersion\":\"1.0.0\",\"name\":\"enipam\",\"type\":\"enipam-cni\",\"runtimeConfig\":{},\"dns\":{}}";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ADDRESSES = 10;

    private final Path directory;
    private final Path path;
    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final ResourceDb db;
    private final IpamEngine engine;
    private final CniSocket socket;
    private final byte[] add = frame("ADD");
    private final byte[] del = frame("DEL");

    /**
     * Opens it; it serves then.
     *
     * @param directory exists, and no file in it is called {@code lock} or {@code w}
     */
    InMemoryNode(BiFunction<EngineConfig, EnginePorts, IpamEngine> assembly, PoolPolicy policy, Path directory)
            throws Exception {
        this.directory = directory;
        this.path = directory.resolve("w");
        SystemTime time = new SystemTime();
        EventSink nowhere = (severity, type, subject, message, attributes) -> {};
        TraceRing traces = new TraceRing(time, new TraceBounds(TraceBounds.SHARE, 1 << 20));
        Meters meters = new Meters(time, new ApiCallLog(time, new SplittableRandom(), Map.of(), traces));
        db = new MeteredDb(
                JournaledResourceDb.open(
                        directory, StoreOptions.defaults(), new MeteredDisk(new DiscardingDisk(), meters.forces())),
                meters);
        Duration never = Duration.ofHours(24);
        engine = meters.counting(assembly.apply(
                new EngineConfig(
                        new Watermarks(0, ADDRESSES, ADDRESSES),
                        Set.of(Family.IPV4),
                        Duration.ZERO,
                        PATIENCE,
                        new EngineConfig.Intervals(never, never, never)),
                new EnginePorts(
                        new EngineContext(time, scheduler, new SplittableRandom(), db, nowhere, traces),
                        new UnverifiedPods(),
                        new NoOpDatapath(),
                        FactorySet.of(new NamedFactory("memory", new PreallocatedFactory(ADDRESSES))),
                        new DirectPolicy(policy, nowhere))));
        NodeDatapath kernel = new NodeDatapath(directory, directory, "it is in memory");
        CniContext context = new CniContext(
                engine,
                new UnverifiedPods(),
                kernel,
                new AddReadiness(engine, db, kernel, Optional::empty, Optional::empty, true),
                () -> PATIENCE);
        socket = CniSocket.open(path, new CniHandler(context, nowhere, meters.cni()::add)::handle, nowhere, scheduler);
        try {
            engine.start().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            close();
            throw e;
        }
    }

    /** One pod comes and goes, by two calls of the socket; returns when both are answered. */
    void addAndDelete() throws IOException {
        call(add);
        call(del);
    }

    private void call(byte[] frame) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            channel.write(ByteBuffer.wrap(frame));
            CniResponse answer = FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(channel)));
            if (answer.exit() != 0) {
                throw new IllegalStateException(new String(answer.stdout(), StandardCharsets.UTF_8));
            }
        }
    }

    private static byte[] frame(String command) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "CNI_COMMAND",
                command,
                "CNI_CONTAINERID",
                "0".repeat(64),
                "CNI_IFNAME",
                "eth0",
                "CNI_NETNS",
                NETNS,
                "CNI_NETNS_OVERRIDE",
                "1",
                "CNI_PATH",
                "/opt/cni/bin",
                "CNI_ARGS",
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=in-memory;"
                        + "K8S_POD_UID=00000000-0000-0000-0000-000000000000"));
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try {
            FrameCodec.write(
                    new CniRequest(variables, CONFIG.getBytes(StandardCharsets.UTF_8)), new DataOutputStream(frame));
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot be written", e);
        }
        return frame.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        engine.close();
        db.close();
        scheduler.close();
        Files.deleteIfExists(directory.resolve("lock"));
    }
}

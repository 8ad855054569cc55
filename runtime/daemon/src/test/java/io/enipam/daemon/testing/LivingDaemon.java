package io.enipam.daemon.testing;

import static org.awaitility.Awaitility.await;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.protobuf.util.Durations;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.daemon.Daemon;
import io.enipam.daemon.DaemonEnvironment;
import io.enipam.daemon.DaemonLayout;
import io.enipam.daemon.EngineAssembly;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudSession;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.load.LoadingRecord;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.SdkVersion;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.LeaseEnds;
import io.enipam.store.StoreOptions;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A daemon with the real engine, database, plugins and socket, as a rule on a cloud in memory. */
public final class LivingDaemon implements AutoCloseable {
    private final Daemon daemon;
    private final SocketClient client;

    private LivingDaemon(Daemon daemon, SocketClient client) {
        this.daemon = daemon;
        this.client = client;
    }

    /** Starts it below a root, with the plugins and the configuration it finds there; returns when it serves. */
    public static LivingDaemon start(Path root) {
        return start(root, new InMemory(StoreOptions.defaults()));
    }

    /** The same with other options of the database. */
    public static LivingDaemon start(Path root, StoreOptions store) {
        return start(root, new InMemory(store));
    }

    /** The same on the emulated cloud, with the real client: what {@code --emulate} does. */
    public static LivingDaemon onTheEmulator(Path root) {
        return start(root, new EmulatedSurroundings());
    }

    /** The same, on other surroundings. */
    public static LivingDaemon start(Path root, DaemonEnvironment surroundings) {
        DaemonLayout layout = DaemonLayout.below(root);
        PluginCatalog catalog = PluginCatalog.find(
                new PluginSearchPath(Optional.of(layout.plugins()), List.of(), ClassLoader.getPlatformClassLoader()),
                SdkVersion.current(),
                EngineAssembly.names(),
                Duration.ofSeconds(60),
                LoadingRecord.in(layout.pluginLoading()));
        Supplier<ResourceFactory> none = () -> {
            throw new IllegalStateException("names alone are asked for");
        };
        BuiltIns builtIns = new BuiltIns(
                Map.of("watermark", WatermarkPolicy::new), Map.of("eni-ip", none, "eni", none, "node-cidr", none));
        DaemonConfig config = ConfigLoader.load(
                List.of(
                        ConfigFile.usual(layout.eniJson(), SettingsFile.ENI_JSON),
                        ConfigFile.usual(layout.enipamYaml(), SettingsFile.ENIPAM_YAML)),
                true,
                Map.of(),
                PluginHost.knownPlugins(catalog, builtIns));
        Daemon daemon = new Daemon(
                layout, config, false, surroundings, new EngineAssembly(NodeIpam::new, WatermarkPolicy::new), catalog);
        daemon.start();
        SocketClient client = new SocketClient(layout.controlSocket());
        await().atMost(Duration.ofSeconds(120))
                .until(() -> client.inspect()
                        .getStatus(GetStatusRequest.getDefaultInstance())
                        .getPhase()
                        .equals("READY"));
        return new LivingDaemon(daemon, client);
    }

    public SocketClient client() {
        return client;
    }

    /** CNI ADD of a pod, {@code NS/NAME}, that waits for an address so long at most. */
    @CanIgnoreReturnValue
    public Lease add(String pod, Duration within) {
        return client.control()
                .cniAdd(CniAddRequest.newBuilder()
                        .setPod(pod)
                        .setTimeout(Durations.fromMillis(within.toMillis()))
                        .build())
                .getLease();
    }

    /** CNI DEL of the sandbox that has a lease. */
    public void del(Lease lease) {
        client.control()
                .cniDel(CniDelRequest.newBuilder()
                        .setPod(lease.getPod())
                        .setContainer(lease.getOwner().getContainer())
                        .build());
    }

    /** Puts another policy in force. */
    public void swapPolicy(String name) {
        client.control().swapPolicy(SwapPolicyRequest.newBuilder().setName(name).build());
    }

    /** Has another factory make what the pool gets from now on. */
    public void swapFactory(String name) {
        client.control()
                .swapFactory(SwapFactoryRequest.newBuilder().setName(name).build());
    }

    @Override
    public void close() {
        client.close();
        daemon.close();
    }

    private record InMemory(StoreOptions store) implements DaemonEnvironment {
        @Override
        public ResourceDb openDb(Path directory, LatencyHistogram forces, Supplier<LeaseEnds> ends) {
            return JournaledResourceDb.open(directory, store);
        }

        @Override
        public CloudSession openCloud(
                AliyunConfig config,
                ApiCallLog calls,
                TimeSource time,
                Scheduler scheduler,
                EventSink events,
                CloudJournal journal) {
            return new CloudSession(
                    "i-1",
                    MemoryFactory.instant(new Clockwork(time, scheduler), 30),
                    List::of,
                    new FakeSweeper(),
                    () -> {});
        }

        @Override
        public CloudEmulation startEmulator(DaemonConfig config, Path stateFile) {
            return FakeSurroundings.emulation(config, stateFile, () -> {});
        }
    }

    /** Time and threads in one. */
    private record Clockwork(TimeSource time, Scheduler scheduler) implements TimeSource, Scheduler {
        @Override
        public Instant now() {
            return time.now();
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public void execute(Runnable task) {
            scheduler.execute(task);
        }

        @Override
        public Cancellable after(Duration delay, Runnable task) {
            return scheduler.after(delay, task);
        }
    }
}

package io.enipam.daemon;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.ClusterAccess;
import io.enipam.config.DaemonConfig;
import io.enipam.config.IoReason;
import io.enipam.config.dynamic.DynamicConfig;
import io.enipam.config.dynamic.DynamicConfigStarter;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.config.dynamic.ServiceCidrResolver;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.AuditLog;
import io.enipam.frontends.rpc.ControlService;
import io.enipam.frontends.rpc.ControlSocket;
import io.enipam.frontends.rpc.DaemonInfo;
import io.enipam.frontends.rpc.InspectService;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.kubernetes.cidr.HostLocalFileStore;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.EmulatedCloudControl;
import io.enipam.node.cloud.LeasedAddressPairs;
import io.enipam.node.cloud.NodeIdentityGuard;
import io.enipam.node.cloud.SharedCloudSession;
import io.enipam.node.cluster.ClusterConnection;
import io.enipam.node.cluster.DevicePluginDirectory;
import io.enipam.node.cluster.EniDevicePlugin;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.node.cluster.OwnerRecordingDatapath;
import io.enipam.node.kernel.DatapathSelector;
import io.enipam.node.kernel.KernelUnavailableException;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.kernel.NodeView;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.overrides.FlushingExecutor;
import io.enipam.node.overrides.WarmUp;
import io.enipam.node.pods.NodePods;
import io.enipam.node.pods.SimulatedPods;
import io.enipam.node.pods.UnverifiedPods;
import io.enipam.observability.history.History;
import io.enipam.observability.history.MeteredDb;
import io.enipam.observability.history.MeteredEngine;
import io.enipam.observability.history.Meters;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.DiagnosticRunner;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginReporter;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.PluginSwapper;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.recovery.DatabaseService;
import io.enipam.store.DbCloudJournal;
import io.enipam.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running daemon: everything opened in order, and closed in reverse order.
 *
 * <p>The order is: lock, emulator, database, cloud, engine, socket. Emulator, database and cloud open side by side on
 * threads of their own, since each spends most of its time loading classes or waiting. The socket is up before the engine
 * recovers, so that {@code status} can tell what the daemon is waiting for; health says SERVING when the engine serves
 * and the database can be written.
 */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

    private final DaemonLayout layout;
    private final DaemonConfig files;
    private final boolean ephemeral;
    private final DaemonEnvironment surroundings;
    private final EngineAssembly assembly;
    private final PluginCatalog catalog;
    private final Closer opened = new Closer();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final SystemTime time = new SystemTime();
    private volatile boolean restartRequested;
    private final long startedNanos = time.nanoTime();

    /**
     * @param files the configuration as files and command line have it
     * @param ephemeral whether the root is deleted at the end, if it was made for that
     * @param catalog the plugins; closed with the daemon
     */
    public Daemon(
            DaemonLayout layout,
            DaemonConfig files,
            boolean ephemeral,
            DaemonEnvironment surroundings,
            EngineAssembly assembly,
            PluginCatalog catalog) {
        this.layout = layout;
        this.files = files.withDefaultPaths(layout.defaultPaths());
        this.ephemeral = ephemeral;
        this.surroundings = surroundings;
        this.assembly = assembly;
        this.catalog = catalog;
    }

    /**
     * Opens everything and begins to recover; returns when the socket is up. What was opened is closed again if it fails.
     *
     * @throws StartupException if the daemon cannot run here
     */
    public void start() {
        try {
            open();
        } catch (StoreException e) {
            close();
            throw new StartupException(e.getMessage() + "; " + e.hint(), e);
        } catch (KernelUnavailableException e) {
            close();
            throw new StartupException(e.getMessage(), e);
        } catch (IOException e) {
            close();
            throw new StartupException(IoReason.withFile(e), e);
        } catch (UncheckedIOException e) {
            close();
            throw new StartupException(IoReason.withFile(e.getCause()), e);
        } catch (StartupException | CancellationException e) {
            close();
            throw e;
        } catch (RuntimeException e) {
            LOG.error("the start failed in a way nobody foresaw", e);
            close();
            throw new StartupException("cannot start: " + e.getMessage() + "; the log has the details", e);
        }
    }

    private void open() throws IOException {
        Optional<EphemeralRoot> scratch =
                layout.root().filter(root -> ephemeral).map(EphemeralRoot::claim);
        layout.prepare();
        opened.push("lock", DaemonLock.take(layout));
        // only who has the lock may delete: the directory of a living daemon carries the marker, too
        scratch.ifPresent(root -> opened.push("root", () -> {
            if (!restartRequested) {
                root.delete();
            }
        }));
        layout.prepareUnpacked();
        surroundings.unpackInto(layout.unpacked());
        ExecutorScheduler scheduler = opened.push("scheduler", new ExecutorScheduler());
        ScheduledExecutorService blocking = BlockingThreadPool.open(3, "blocking");
        opened.push("threads", blocking::shutdownNow);
        FlushingExecutor orderWrites = opened.push("order file", new FlushingExecutor());
        EventRing events = new EventRing(time, scheduler);
        CompletableFuture<Consumer<Boolean>> compare = new CompletableFuture<>();
        String node = NodeNameResolver.orConfigured(files.nodeName(), System.getenv());
        Optional<ClusterAccess> access = ClusterAccess.find(files.cluster(), System.getenv(), time);
        access.ifPresent(way -> opened.push("way to the cluster", way));
        DynamicConfig dynamic = opened.push(
                "configuration",
                DynamicConfigStarter.begin(files, access, System.getenv(), node, layout.lastGoodConfig(), events));
        LiveConfig live = dynamic.live();
        DaemonConfig config = live.now();
        StartupEvents announcements = new StartupEvents(config, events);
        TraceRing traces = new TraceRing(time, config.traces());
        AuditLog audit = opened.push("audit log", AuditLog.open(layout.auditLog(), config.auditBytes(), time));
        blocking.scheduleWithFixedDelay(audit::recordRefusals, 1, 1, TimeUnit.MINUTES);

        Optional<CompletableFuture<CloudEmulation>> emulation = emulation(blocking);
        CompletableFuture<AliyunConfig> cloudConfig = emulation
                .map(coming -> coming.thenApply(CloudEmulation::client))
                .orElseGet(() -> CompletableFuture.completedFuture(config.cloud()));
        ApiCallLog calls =
                new ApiCallLog(time, new SplittableRandom(), config.calls().perMinute(), traces);
        Meters meters = new Meters(time, calls);
        CompletableFuture<ResourceDb> openingDb =
                CompletableFuture.supplyAsync(() -> database(announcements, meters), blocking);
        CompletableFuture<ResourceDb> meteredDb = openingDb.thenApply(db -> new MeteredDb(db, meters));
        CloudJournal operations = new DbCloudJournal(() -> Futures.join(meteredDb));
        NodeIdentityGuard machine =
                new NodeIdentityGuard(() -> Futures.join(openingDb).contents().node());
        LeasedAddressPairs pairs =
                new LeasedAddressPairs(() -> Futures.join(openingDb).contents());
        SharedCloudSession shared = new SharedCloudSession(() -> machine.requireSameMachine(surroundings.openCloud(
                Futures.join(cloudConfig).withEnis(live.now().enis()).withKnownPairs(pairs),
                calls,
                time,
                scheduler,
                noticing(events, again -> compare.thenAccept(then -> then.accept(again))),
                operations)));
        ServiceCidrResolver services = new ServiceCidrResolver(live::now, shared::ranges, events);
        CloudAccess cloud = CloudAccess.over(shared, blocking, events, (use, session) -> {
            announcements.cloudOpened(use, session);
            services.refresh();
        });
        // closed below the factories and above the emulator, whenever it comes to be open
        opened.push("database", () -> Futures.whenOpened(openingDb, ResourceDb::close));
        AddressFileStore addresses = new HostLocalFileStore(config.addressFiles(layout.addressFiles()));
        NodeCidrProvider nodeCidr = new NodeCidrProvider(
                layout.nodeCidr(),
                addresses,
                passedOver(config),
                () -> Futures.join(openingDb).contents(),
                time,
                events);
        opened.push("node cidr", nodeCidr);
        PluginHost host = opened.push(
                "plugins",
                assembly.plugins(catalog, cloud::open, nodeCidr::open, config, layout, time, scheduler, events));
        ActiveSelection inForce = opened.push(
                "factories",
                ActiveSelection.restore(host, layout.selection(), config.policy(), config.factory(), blocking, events));
        announcements.suppressFor(use -> inForce.onTrial(use.factory()) || inForce.isDraining(use.factory()));
        ResourceDb db = Futures.join(meteredDb);
        NodeView sights = surroundings.node(live::now);
        NodeDatapath kernel = opened.push(
                "kernel",
                DatapathSelector.open(
                        config.datapath(),
                        config.emulated()
                                || config.cniSocket(layout.cniSocket()).isEmpty(),
                        layout.simulatedKernel(),
                        layout.callersAttachments(),
                        layout.attachments(),
                        sights,
                        System.getenv()));
        pairs.addDatapath(kernel);
        Optional<ClusterConnection> cluster =
                access.map(way -> new ClusterConnection(way, config.cluster(), node, time, scheduler, events));
        cluster.ifPresent(link -> opened.push("cluster", link));
        nodeCidr.connect(cluster);
        NodePods pods = cluster.isPresent() ? cluster.get().pods() : podsWithoutCluster(db, kernel);

        IpamEngine engine = new MeteredEngine(
                assembly.engine()
                        .apply(
                                config.engine(),
                                new EnginePorts(
                                        new EngineContext(time, scheduler, new SplittableRandom(), db, events, traces),
                                        pods,
                                        new OwnerRecordingDatapath(
                                                kernel, addresses, db.contents().leases(), events),
                                        inForce.openFactories(),
                                        inForce.openPolicy(),
                                        machine.identity())),
                meters);
        opened.push("engine", engine);
        compare.complete(again -> scheduler.execute(() -> {
            if (again) {
                new KernelProbes(kernel, db, engine).repairSoon(scheduler);
            }
            // an engine that is not ready yet compares before it is
            engine.reconcile();
        }));
        new ConfigSubscriptions(engine, calls, shared, services).subscribeTo(live);
        History history = opened.push("history", new History(meters, engine::pool, engine::status));
        DaemonInfo facts = new DaemonInfo(
                node,
                Version.of(Daemon.class),
                layout.displayPath().toString(),
                config.emulated(),
                ephemeral,
                time,
                startedNanos);
        PluginServices plugins = new PluginServices(
                new PluginReporter(host, inForce, engine, config, facts.version(), time.now()),
                new DiagnosticRunner(host, config, engine::snapshot),
                new PluginSwapper(host, inForce, engine, events, blocking));
        DatabaseService desk = opened.push(
                "database tools",
                new DatabaseService(
                        surroundings.toolsOf(Futures.join(openingDb)),
                        db,
                        engine,
                        time,
                        facts.node(),
                        layout.prepareReceived(),
                        layout.run(),
                        this::startAnew));
        CapacityOverrides orders = new CapacityOverrides(engine, layout.standingOrder(), time, events, orderWrites);
        orders.restore();
        WarmUp.onFirstStart(config.warmUp(), db.contents(), orders);
        Path path = config.controlSocket().orElse(layout.controlSocket());
        ServiceContext served = new QueryModule(
                        facts,
                        live,
                        layout,
                        path,
                        engine,
                        db,
                        desk,
                        pods,
                        kernel,
                        cloud,
                        new EmulatedCloudControl(emulation),
                        calls,
                        events,
                        traces,
                        history,
                        plugins,
                        inForce,
                        orders,
                        nodeCidr,
                        cluster.map(ClusterConnection::inspector))
                .open(opened, scheduler, blocking);
        ControlSocket socket = opened.push(
                "socket",
                ControlSocket.open(
                        path, ownUid(), audit, List.of(new InspectService(served), new ControlService(served))));
        new TerwayModule(config, layout, live, engine, pods, kernel, sights, services, nodeCidr, events, blocking)
                .open(opened, ownUid());
        new CniModule(served, live, layout, kernel, meters).open(opened, scheduler);
        opened.push("event streams", events);
        ReadinessMonitor readiness =
                new ReadinessMonitor(served.readiness(), socket::serving, events, meters.failedAdds()::explained);
        opened.push("health", readiness::stop);
        db.watch(trouble -> readiness.update());
        blocking.scheduleWithFixedDelay(readiness::update, 0, 2, TimeUnit.SECONDS);
        announcements.warnings(pods);
        history.begin();
        recover(engine, readiness, announcements);
        new HttpModule(
                        facts,
                        config,
                        layout,
                        engine,
                        db,
                        meters,
                        calls,
                        cloud,
                        cluster.map(ClusterConnection::inspector),
                        plugins,
                        events,
                        readiness)
                .open(opened, scheduler, blocking);
        cluster.ifPresent(link -> {
            link.begin(engine, () -> served.readiness().evaluate().broken().map(AddReadiness.Fault::reason));
            live.follow("the rules for pods that keep their address", now -> link.reconfigure(now.cluster()));
            blocking.scheduleWithFixedDelay(link::sync, 5, 5, TimeUnit.SECONDS);
        });
        EniDevicePlugin devices = opened.push(
                "kubelet plugin",
                new EniDevicePlugin(
                        DevicePluginDirectory.of(config.devicePlugins(), layout.devicePlugins()),
                        engine,
                        time,
                        events));
        blocking.scheduleWithFixedDelay(devices::sync, 1, 2, TimeUnit.SECONDS);
        blocking.scheduleWithFixedDelay(nodeCidr::check, 1, 2, TimeUnit.SECONDS);
        dynamic.begin();
        if (config.emulated()) {
            // a sandbox without its cloud is of no use: say so and end
            Futures.join(cloudConfig);
        }
        LOG.info("serving on {}", path);
    }

    /**
     * Passes the cloud's events on, and has the pool compared with the cloud at once when an ENI has left the instance or is back.
     *
     * @param compare gets whether one is back
     */
    private static EventSink noticing(EventSink events, Consumer<Boolean> compare) {
        return (severity, type, subject, message, attributes) -> {
            events.publish(severity, type, subject, message, attributes);
            boolean again = type.equals("EniReattached");
            if (again || type.equals("EniLost")) {
                compare.accept(again);
            }
        };
    }

    /**
     * The directory of host-local on this node, where {@code --root} alone leads the daemon to another one.
     *
     * @throws StartupException if terway's plugin calls this daemon all the same
     */
    private Optional<AddressFileStore> passedOver(DaemonConfig config) {
        if (layout.root().isEmpty() || config.addressFilesAreSet()) {
            return Optional.empty();
        }
        Optional<Path> called = config.terwaySocket(layout.terwaySocket())
                .filter(socket -> !socket.toAbsolutePath().normalize().startsWith(layout.displayPath()));
        if (called.isPresent() && config.factory().equals(NodeCidrFactory.NAME)) {
            throw new StartupException(
                    "sockets.terway is " + called.get() + ", outside of --root, and vpc.address_dir is "
                            + layout.addressFiles()
                            + ", below it: terway's plugin and this daemon would lend the same addresses;"
                            + " set vpc.address_dir to the directory of host-local, as a rule "
                            + DaemonLayout.HOST_LOCAL_FILES);
        }
        return Optional.of(new HostLocalFileStore(DaemonLayout.HOST_LOCAL_FILES));
    }

    private Optional<CompletableFuture<CloudEmulation>> emulation(ExecutorService blocking) {
        if (!files.emulated()) {
            return Optional.empty();
        }
        DaemonLayout.makeWritable(layout.emulatorState().resolveSibling("."));
        CompletableFuture<CloudEmulation> emulation = CompletableFuture.supplyAsync(
                () -> surroundings.startEmulator(files, layout.emulatorState()), blocking);
        opened.push("emulator", () -> Futures.whenOpened(emulation, CloudEmulation::close));
        return Optional.of(emulation);
    }

    private NodePods podsWithoutCluster(ResourceDb db, NodeDatapath kernel) throws IOException {
        return files.emulated()
                ? SimulatedPods.open(layout.sandboxPods(), db.contents().leases(), kernel.simulatedNow())
                : new UnverifiedPods();
    }

    private static void recover(IpamEngine engine, ReadinessMonitor readiness, StartupEvents announcements) {
        engine.start().whenComplete((done, failure) -> {
            if (failure == null) {
                readiness.update();
            } else {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                LOG.debug("recovery ended early", cause);
                if (cause instanceof CancellationException) {
                    // the daemon was stopped before the cloud answered
                    return;
                }
                announcements.recoveryFailed(cause);
            }
        });
    }

    private ResourceDb database(StartupEvents announcements, Meters meters) {
        surroundings.finishRestore(layout.database()).ifPresent(announcements::restored);
        return surroundings.openDb(layout.database(), meters.forces());
    }

    /** Closes this daemon, for another one to go on in its place; returns at once. */
    private void startAnew() {
        restartRequested = true;
        new Thread(this::close, "start-anew").start();
    }

    /** Whether it was closed so that another one goes on in its place, with the same files. */
    public boolean restartRequested() {
        return restartRequested;
    }

    /** Blocks until {@link #close()} has ended. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Closes everything in reverse order; a second call waits for the first. */
    @Override
    public void close() {
        opened.close();
        ended.countDown();
    }

    /** The process's own entry in proc(5) belongs to its effective user. */
    private static int ownUid() throws IOException {
        return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).intValue();
    }
}

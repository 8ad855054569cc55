package io.enipam.daemon;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.CallBook;
import io.enipam.daemon.cloud.CloudAccess;
import io.enipam.daemon.cloud.CloudEmulation;
import io.enipam.daemon.cloud.EmulatedCloud;
import io.enipam.daemon.cloud.LentPairs;
import io.enipam.daemon.cloud.OwnMachine;
import io.enipam.daemon.cloud.SharedSession;
import io.enipam.daemon.cluster.ClusterAccess;
import io.enipam.daemon.cluster.ClusterLink;
import io.enipam.daemon.cluster.DevicePlace;
import io.enipam.daemon.cluster.EniDevices;
import io.enipam.daemon.cluster.NodeCidrOpener;
import io.enipam.daemon.cluster.SignedAddresses;
import io.enipam.daemon.cni.AddReadiness;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.config.IoReason;
import io.enipam.daemon.db.DatabaseDesk;
import io.enipam.daemon.events.EventRing;
import io.enipam.daemon.history.History;
import io.enipam.daemon.history.MeteredDb;
import io.enipam.daemon.history.MeteredEngine;
import io.enipam.daemon.history.Meters;
import io.enipam.daemon.kernel.KernelChoice;
import io.enipam.daemon.kernel.KernelMissingException;
import io.enipam.daemon.kernel.NodeKernel;
import io.enipam.daemon.kernel.NodeView;
import io.enipam.daemon.live.DynamicConfig;
import io.enipam.daemon.live.Following;
import io.enipam.daemon.live.LiveConfig;
import io.enipam.daemon.live.ServiceAddresses;
import io.enipam.daemon.orders.LastWrites;
import io.enipam.daemon.orders.StandingOrders;
import io.enipam.daemon.orders.WarmUp;
import io.enipam.daemon.platform.ExecutorScheduler;
import io.enipam.daemon.platform.SystemTime;
import io.enipam.daemon.plugin.Diagnostics;
import io.enipam.daemon.plugin.InForce;
import io.enipam.daemon.plugin.PluginHost;
import io.enipam.daemon.plugin.PluginReports;
import io.enipam.daemon.plugin.Plugins;
import io.enipam.daemon.plugin.Swaps;
import io.enipam.daemon.plugin.load.PluginCatalog;
import io.enipam.daemon.pods.NodePods;
import io.enipam.daemon.pods.SandboxPods;
import io.enipam.daemon.pods.TrustingPods;
import io.enipam.daemon.rpc.AuditLog;
import io.enipam.daemon.rpc.ControlService;
import io.enipam.daemon.rpc.ControlSocket;
import io.enipam.daemon.rpc.DaemonFacts;
import io.enipam.daemon.rpc.InspectService;
import io.enipam.daemon.rpc.Served;
import io.enipam.daemon.trace.TraceRing;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.kubernetes.cidr.AddressFiles;
import io.enipam.kubernetes.cidr.HostLocalFiles;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
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
    private final Surroundings surroundings;
    private final EngineAssembly assembly;
    private final PluginCatalog catalog;
    private final ClosingOrder opened = new ClosingOrder();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final SystemTime time = new SystemTime();
    private volatile boolean again;
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
            Surroundings surroundings,
            EngineAssembly assembly,
            PluginCatalog catalog) {
        this.layout = layout;
        this.files = files.at(layout.places());
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
        } catch (KernelMissingException e) {
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
            if (!again) {
                root.delete();
            }
        }));
        layout.prepareUnpacked();
        surroundings.unpackInto(layout.unpacked());
        ExecutorScheduler scheduler = opened.push("scheduler", new ExecutorScheduler());
        ScheduledExecutorService blocking = WaitingThreads.open(3, "blocking");
        opened.push("threads", blocking::shutdownNow);
        LastWrites orderWrites = opened.push("order file", new LastWrites());
        EventRing events = new EventRing(time, scheduler);
        CompletableFuture<Consumer<Boolean>> compare = new CompletableFuture<>();
        String node = HostName.orConfigured(files.nodeName(), System.getenv());
        Optional<ClusterAccess> access = ClusterAccess.find(files.cluster(), System.getenv(), time);
        access.ifPresent(way -> opened.push("way to the cluster", way));
        DynamicConfig dynamic = opened.push(
                "configuration",
                Following.begin(files, access, System.getenv(), node, layout.lastGoodConfig(), events));
        LiveConfig live = dynamic.live();
        DaemonConfig config = live.now();
        Announcements announcements = new Announcements(config, events);
        TraceRing traces = new TraceRing(time, config.traces());
        AuditLog audit = opened.push("audit log", AuditLog.open(layout.auditLog(), config.auditBytes(), time));
        blocking.scheduleWithFixedDelay(audit::recordRefusals, 1, 1, TimeUnit.MINUTES);

        Optional<CompletableFuture<CloudEmulation>> emulation = emulation(blocking);
        CompletableFuture<AliyunConfig> cloudConfig = emulation
                .map(coming -> coming.thenApply(CloudEmulation::client))
                .orElseGet(() -> CompletableFuture.completedFuture(config.cloud()));
        CallBook calls =
                new CallBook(time, new SplittableRandom(), config.calls().perMinute(), traces);
        Meters meters = new Meters(time, calls);
        CompletableFuture<ResourceDb> openingDb =
                CompletableFuture.supplyAsync(() -> database(announcements, meters), blocking);
        CompletableFuture<ResourceDb> meteredDb = openingDb.thenApply(db -> new MeteredDb(db, meters));
        CloudJournal operations = new DbCloudJournal(() -> Coming.joined(meteredDb));
        OwnMachine machine =
                new OwnMachine(() -> Coming.joined(openingDb).contents().node());
        LentPairs pairs = new LentPairs(() -> Coming.joined(openingDb).contents());
        SharedSession shared = new SharedSession(() -> machine.admit(surroundings.openCloud(
                Coming.joined(cloudConfig).making(live.now().enis()).knowing(pairs),
                calls,
                time,
                scheduler,
                noticing(events, again -> compare.thenAccept(then -> then.accept(again))),
                operations)));
        ServiceAddresses services = new ServiceAddresses(live::now, shared::ranges, events);
        CloudAccess cloud = CloudAccess.over(shared, blocking, events, (use, session) -> {
            announcements.cloudOpened(use, session);
            services.look();
        });
        // closed below the factories and above the emulator, whenever it comes to be open
        opened.push("database", () -> Coming.whenOpened(openingDb, ResourceDb::close));
        AddressFiles addresses = new HostLocalFiles(config.addressFiles(layout.addressFiles()));
        NodeCidrOpener nodeCidr = new NodeCidrOpener(
                layout.nodeCidr(),
                addresses,
                passedOver(config),
                () -> Coming.joined(openingDb).contents(),
                time,
                events);
        opened.push("node cidr", nodeCidr);
        PluginHost host = opened.push(
                "plugins",
                assembly.plugins(catalog, cloud::open, nodeCidr::open, config, layout, time, scheduler, events));
        InForce inForce = opened.push(
                "factories",
                InForce.restore(host, layout.selection(), config.policy(), config.factory(), blocking, events));
        announcements.silentOn(use -> inForce.onTrial(use.factory()) || inForce.isLeaving(use.factory()));
        ResourceDb db = Coming.joined(meteredDb);
        NodeView sights = surroundings.node(live::now);
        NodeKernel kernel = opened.push(
                "kernel",
                KernelChoice.open(
                        config.datapath(),
                        config.emulated()
                                || config.cniSocket(layout.cniSocket()).isEmpty(),
                        layout.simulatedKernel(),
                        layout.callersAttachments(),
                        layout.attachments(),
                        sights,
                        System.getenv()));
        pairs.alsoBy(kernel);
        Optional<ClusterLink> cluster =
                access.map(way -> new ClusterLink(way, config.cluster(), node, time, scheduler, events));
        cluster.ifPresent(link -> opened.push("cluster", link));
        nodeCidr.askIn(cluster);
        NodePods pods = cluster.isPresent() ? cluster.get().pods() : podsWithoutCluster(db, kernel);

        IpamEngine engine = new MeteredEngine(
                assembly.engine()
                        .apply(
                                config.engine(),
                                new EnginePorts(
                                        time,
                                        scheduler,
                                        new SplittableRandom(),
                                        db,
                                        pods,
                                        new SignedAddresses(
                                                kernel, addresses, db.contents().leases(), events),
                                        events,
                                        inForce.openFactories(),
                                        inForce.openPolicy(),
                                        machine.identity(),
                                        traces)),
                meters);
        opened.push("engine", engine);
        compare.complete(again -> scheduler.execute(() -> {
            if (again) {
                new KernelDesk(kernel, db, engine).mendSoon(scheduler);
            }
            // an engine that is not ready yet compares before it is
            engine.reconcile();
        }));
        new Followers(engine, calls, shared, services).of(live);
        History history = opened.push("history", new History(meters, engine::pool, engine::status));
        DaemonFacts facts = new DaemonFacts(
                node,
                Version.of(Daemon.class),
                layout.shown().toString(),
                config.emulated(),
                ephemeral,
                time,
                startedNanos);
        Plugins plugins = new Plugins(
                new PluginReports(host, inForce, engine, config, facts.version(), time.now()),
                new Diagnostics(host, config, engine::snapshot),
                new Swaps(host, inForce, engine, events, blocking));
        DatabaseDesk desk = opened.push(
                "database tools",
                new DatabaseDesk(
                        surroundings.toolsOf(Coming.joined(openingDb)),
                        db,
                        engine,
                        time,
                        facts.node(),
                        layout.prepareReceived(),
                        layout.run(),
                        this::startAnew));
        StandingOrders orders = new StandingOrders(engine, layout.standingOrder(), time, events, orderWrites);
        orders.restore();
        WarmUp.onFirstStart(config.warmUp(), db.contents(), orders);
        Path path = config.controlSocket().orElse(layout.controlSocket());
        Served served = new FrontDesk(
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
                        new EmulatedCloud(emulation),
                        calls,
                        events,
                        traces,
                        history,
                        plugins,
                        inForce,
                        orders,
                        nodeCidr,
                        cluster.map(ClusterLink::sight))
                .open(opened, scheduler, blocking);
        ControlSocket socket = opened.push(
                "socket",
                ControlSocket.open(
                        path, ownUid(), audit, List.of(new InspectService(served), new ControlService(served))));
        new TerwayDoor(config, layout, live, engine, pods, kernel, sights, services, nodeCidr, events, blocking)
                .open(opened, ownUid());
        new CniDoor(served, live, layout, kernel, meters).open(opened, scheduler);
        opened.push("event streams", events);
        Readiness readiness =
                new Readiness(served.readiness(), socket::serving, events, meters.failedAdds()::explained);
        opened.push("health", readiness::stop);
        db.watch(trouble -> readiness.look());
        blocking.scheduleWithFixedDelay(readiness::look, 0, 2, TimeUnit.SECONDS);
        announcements.warnings(pods);
        history.begin();
        recover(engine, readiness, announcements);
        new WebDoor(
                        facts,
                        config,
                        layout,
                        engine,
                        db,
                        meters,
                        calls,
                        cloud,
                        cluster.map(ClusterLink::sight),
                        plugins,
                        events,
                        readiness)
                .open(opened, scheduler, blocking);
        cluster.ifPresent(link -> {
            link.begin(engine, () -> served.readiness().look().broken().map(AddReadiness.Fault::reason));
            live.follow("the rules for pods that keep their address", now -> link.goBy(now.cluster()));
            blocking.scheduleWithFixedDelay(link::look, 5, 5, TimeUnit.SECONDS);
        });
        EniDevices devices = opened.push(
                "kubelet plugin",
                new EniDevices(DevicePlace.of(config.devicePlugins(), layout.devicePlugins()), engine, time, events));
        blocking.scheduleWithFixedDelay(devices::look, 1, 2, TimeUnit.SECONDS);
        blocking.scheduleWithFixedDelay(nodeCidr::look, 1, 2, TimeUnit.SECONDS);
        dynamic.begin();
        if (config.emulated()) {
            // a sandbox without its cloud is of no use: say so and end
            Coming.joined(cloudConfig);
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
    private Optional<AddressFiles> passedOver(DaemonConfig config) {
        if (layout.root().isEmpty() || config.addressFilesAreSet()) {
            return Optional.empty();
        }
        Optional<Path> called = config.terwaySocket(layout.terwaySocket())
                .filter(socket -> !socket.toAbsolutePath().normalize().startsWith(layout.shown()));
        if (called.isPresent() && config.factory().equals(NodeCidrFactory.NAME)) {
            throw new StartupException(
                    "sockets.terway is " + called.get() + ", outside of --root, and vpc.address_dir is "
                            + layout.addressFiles()
                            + ", below it: terway's plugin and this daemon would lend the same addresses;"
                            + " set vpc.address_dir to the directory of host-local, as a rule "
                            + DaemonLayout.HOST_LOCAL_FILES);
        }
        return Optional.of(new HostLocalFiles(DaemonLayout.HOST_LOCAL_FILES));
    }

    private Optional<CompletableFuture<CloudEmulation>> emulation(ExecutorService blocking) {
        if (!files.emulated()) {
            return Optional.empty();
        }
        DaemonLayout.makeWritable(layout.emulatorState().resolveSibling("."));
        CompletableFuture<CloudEmulation> emulation = CompletableFuture.supplyAsync(
                () -> surroundings.startEmulator(files, layout.emulatorState()), blocking);
        opened.push("emulator", () -> Coming.whenOpened(emulation, CloudEmulation::close));
        return Optional.of(emulation);
    }

    private NodePods podsWithoutCluster(ResourceDb db, NodeKernel kernel) throws IOException {
        return files.emulated()
                ? SandboxPods.open(layout.sandboxPods(), db.contents().leases(), kernel.simulatedNow())
                : new TrustingPods();
    }

    private static void recover(IpamEngine engine, Readiness readiness, Announcements announcements) {
        engine.start().whenComplete((done, failure) -> {
            if (failure == null) {
                readiness.look();
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

    private ResourceDb database(Announcements announcements, Meters meters) {
        surroundings.finishRestore(layout.database()).ifPresent(announcements::restored);
        return surroundings.openDb(layout.database(), meters.forces());
    }

    /** Closes this daemon, for another one to go on in its place; returns at once. */
    private void startAnew() {
        again = true;
        new Thread(this::close, "start-anew").start();
    }

    /** Whether it was closed so that another one goes on in its place, with the same files. */
    public boolean again() {
        return again;
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

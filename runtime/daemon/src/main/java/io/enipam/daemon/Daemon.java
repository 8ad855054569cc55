package io.enipam.daemon;

import io.enipam.config.DaemonConfig;
import io.enipam.config.IoReason;
import io.enipam.config.Schema;
import io.enipam.daemon.warmup.JitWarmUp;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.node.kernel.NodeDatapath.KernelUnavailableException;
import io.enipam.observability.history.Meters;
import io.enipam.platform.HeapFreeRatio;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Role;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running daemon: opens its parts in order, and closes them in reverse order.
 *
 * <p>In role NODE the order is: lock, emulator, database, cloud, engine, socket. Emulator, database and cloud open in parallel on
 * threads of their own, since each spends most of its time loading classes or waiting. The socket opens before the
 * engine recovers, so that {@code status} can show what the daemon waits for; health is SERVING when the engine serves
 * and the database can be written. Each subsystem has a module that wires it.
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
     * @param files the configuration from files and command line
     * @param ephemeral whether the root is deleted at the end, if it was created as a temporary one
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
     * Opens everything and begins to recover; returns when the socket is open. After a failure it closes what it has
     * opened.
     *
     * @throws StartupException if the daemon cannot run here
     */
    public void start() {
        try {
            open();
        } catch (StoreException e) {
            close();
            throw new StartupException(e.getMessage() + "; " + e.hint(), e);
        } catch (KernelUnavailableException | JournalException e) {
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
            LOG.error("the start failed unexpectedly", e);
            close();
            throw new StartupException("cannot start: " + e.getMessage() + "; the log has the details", e);
        }
    }

    private void open() throws IOException {
        takeRoot();
        BaseModule base = new BaseModule(opened, layout, files, time);
        Path path = base.config.controlSocket().orElse(layout.controlSocket());
        if (files.role() == Role.NODE) {
            openNode(base, path);
        } else {
            openCluster(base, path);
        }
        LOG.info("serving on {}", path);
    }

    private void openNode(BaseModule base, Path path) throws IOException {
        RecordsModule records = new RecordsModule(base);
        CloudModule cloud = new CloudModule(base, surroundings, files);
        StorageModule storage = new StorageModule(base, surroundings, cloud.meters);
        CloudModule.Session session = cloud.session(base, storage);
        SupplyModule supply = new SupplyModule(base, assembly, catalog, storage, session);
        Past past = records.goOn();
        NodeModule node = new NodeModule(base, surroundings, storage, supply);
        EngineModule.Foundation on = new EngineModule.Foundation(base, storage, cloud, session, supply, node);
        EngineModule running = new EngineModule(on, assembly, info(base), this::startAnew);
        // those in force are open: no other one delays the start
        supply.plugins.host.loadRest();
        ServiceContext served = new QueryModule(on, running, past, path).open();
        FrontendModule frontend = new FrontendModule(base, storage, supply.plugins, served, cloud.meters);
        ReadinessMonitor readiness = frontend.open(path);
        new CniModule(on, running, served).open();
        base.announcements.warnings();
        base.announcements.pods(node.pods);
        records.goOn(running.history);
        running.history.begin();
        supply.plugins.host.configureExtensions(base.config);
        Optional<JitWarmUp> warmUp = warmUp(base, node, cloud.meters);
        running.recover(
                () -> {
                    readiness.update();
                    HeapFreeRatio.lower();
                    warmUp.ifPresent(JitWarmUp::begin);
                },
                base.announcements);
        frontend.openHttp(readiness);
        node.begin(base, running, supply, served.troubles());
        base.dynamic.begin();
        cloud.awaitEmulator();
    }

    /** The same without a node: no pool, no kernel, no pods, and of the cloud what plugins call. */
    private void openCluster(BaseModule base, Path path) throws IOException {
        RecordsModule records = new RecordsModule(base);
        CloudModule cloud = new CloudModule(base, surroundings, files);
        StorageModule storage = new StorageModule(base, surroundings, cloud.meters);
        PluginStorage tables = TablesModule.open(base, storage);
        BuiltIns services =
                new BuiltIns(Map.of(), Map.of()).lending(Cloud.class, cloud.ofCluster(base, tables.leadership())::lend);
        PluginModule plugins = new PluginModule(base, catalog, services, tables);
        ServiceContext served = new ClusterModule(base, storage, cloud, plugins, records.goOn(), path)
                .open(info(base), this::startAnew);
        plugins.host.loadRest();
        FrontendModule frontend = new FrontendModule(base, storage, plugins, served, cloud.meters);
        ReadinessMonitor readiness = frontend.open(path);
        base.announcements.warnings();
        plugins.host.configureExtensions(base.config);
        frontend.openHttp(readiness);
        base.dynamic.begin();
        HeapFreeRatio.lower();
    }

    private Optional<JitWarmUp> warmUp(BaseModule base, NodeModule node, Meters meters) {
        return base.config.get(Schema.JIT_WARM_UP)
                ? Optional.of(base.opened.push(
                        "JIT warm-up",
                        JitWarmUp.of(
                                assembly.engine(),
                                assembly.policy(),
                                node.view,
                                layout.unpacked(),
                                () -> meters.add().hasBegun() || meters.del().hasBegun())))
                : Optional.empty();
    }

    /** Locks the daemon's directory and prepares it. */
    private void takeRoot() throws IOException {
        Optional<EphemeralRoot> scratch =
                layout.root().filter(root -> ephemeral).map(EphemeralRoot::claim);
        layout.prepare();
        opened.push("lock", layout.takeLock());
        // delete only with the lock: the directory of a running daemon has the marker, too
        scratch.ifPresent(root -> opened.push("root", () -> {
            if (!restartRequested) {
                root.delete();
            }
        }));
        layout.prepareUnpacked();
        surroundings.unpackInto(layout.unpacked());
    }

    private DaemonInfo info(BaseModule base) {
        return new DaemonInfo(
                base.node,
                files.role(),
                version(),
                layout.displayPath().toString(),
                base.config.emulated(),
                ephemeral,
                time,
                startedNanos);
    }

    /** The version in the jar's manifest; without a jar, a development version. */
    static String version() {
        return Optional.ofNullable(Daemon.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    /** Closes this daemon so that another one continues in its place; returns at once. */
    private void startAnew() {
        restartRequested = true;
        new Thread(this::close, "start-anew").start();
    }

    /** Whether it was closed so that another one continues in its place, with the same files. */
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
}

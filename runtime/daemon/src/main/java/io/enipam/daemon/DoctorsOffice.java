package io.enipam.daemon;

import io.enipam.aliyun.calls.CallBook;
import io.enipam.daemon.cloud.CloudAccess;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.db.DatabaseDesk;
import io.enipam.daemon.doctor.Doctor;
import io.enipam.daemon.doctor.Probes;
import io.enipam.daemon.doctor.check.Catalogue;
import io.enipam.daemon.doctor.fact.ConfigFacts;
import io.enipam.daemon.doctor.fact.ConntrackFacts;
import io.enipam.daemon.doctor.fact.DatabaseFacts;
import io.enipam.daemon.doctor.fact.DiskFacts;
import io.enipam.daemon.doctor.fact.EventFacts;
import io.enipam.daemon.doctor.fact.FileFacts;
import io.enipam.daemon.doctor.fact.FileModes;
import io.enipam.daemon.doctor.fact.HistoryFacts;
import io.enipam.daemon.doctor.fact.PluginFacts;
import io.enipam.daemon.doctor.fact.ProcessFacts;
import io.enipam.daemon.doctor.fact.StartFacts;
import io.enipam.daemon.doctor.fact.VerifiedFacts;
import io.enipam.daemon.doctor.fact.Watch;
import io.enipam.daemon.doctor.fact.WatchFacts;
import io.enipam.daemon.events.EventRing;
import io.enipam.daemon.history.History;
import io.enipam.daemon.orders.StandingOrders;
import io.enipam.daemon.plugin.InForce;
import io.enipam.daemon.plugin.Plugins;
import io.enipam.daemon.pods.NodePods;
import io.enipam.daemon.rpc.DaemonFacts;
import io.enipam.daemon.sources.PeoplesShare;
import io.enipam.daemon.sources.compare.Comparing;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.ResourceDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Puts the doctor together: who gathers which facts of this daemon, and who does which repair.
 *
 * @param socket the path of the control socket
 * @param starts of the daemon, this one included
 */
record DoctorsOffice(
        DaemonFacts facts,
        DaemonConfig config,
        DaemonLayout layout,
        Path socket,
        IpamEngine engine,
        ResourceDb db,
        DatabaseDesk desk,
        NodePods pods,
        CloudAccess cloud,
        CallBook calls,
        EventRing events,
        History history,
        Comparing comparing,
        PeoplesShare share,
        Plugins plugins,
        InForce inForce,
        StandingOrders orders,
        Watch watch,
        StartFacts starts) {
    private static final Path NETFILTER = Path.of("/proc/sys/net/netfilter");

    Doctor doctor() {
        FileModes files = new FileModes(socket, layout.database(), layout.auditLog());
        RepairDesk repairs = new RepairDesk(engine, cloud, desk, plugins, inForce, files);
        return new Doctor(Catalogue.all(), probes(files), repairs.repairs(), facts.time());
    }

    private Probes probes(FileModes files) {
        Probes probes = new Probes()
                .with(HistoryFacts.class, () -> new HistoryFacts(history.samples()))
                .with(WatchFacts.class, watch::facts)
                .with(StartFacts.class, () -> starts)
                .with(
                        DatabaseFacts.class,
                        () -> new DatabaseFacts(db.contents(), db.trouble(), bytesOf(layout.database())))
                .with(
                        VerifiedFacts.class,
                        () -> new VerifiedFacts(
                                desk.verify().toCompletableFuture().get()))
                .with(DiskFacts.class, () -> DiskFacts.of(layout.database()))
                .with(FileFacts.class, files::look)
                .with(ProcessFacts.class, ProcessFacts::ofThis)
                .with(ConntrackFacts.class, () -> ConntrackFacts.read(NETFILTER))
                .with(
                        PluginFacts.class,
                        () -> new PluginFacts(
                                plugins.reports().all(),
                                inForce.selectedPolicy(),
                                inForce.policyInForce(),
                                inForce.trouble()))
                .with(ConfigFacts.class, () -> new ConfigFacts(config.warnings(), config.unobeyed()))
                .with(EventFacts.class, () -> new EventFacts(events.after(0), EventRing.SIZE));
        new EngineProbes(facts, config, engine, db, pods, orders, comparing).into(probes);
        new CloudProbes(cloud, calls, share).into(probes);
        return probes;
    }

    private static long bytesOf(Path directory) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                // one that a checkpoint has just removed counts for nothing
                bytes += Files.isRegularFile(file) && Files.exists(file)
                        ? file.toFile().length()
                        : 0;
            }
        }
        return bytes;
    }
}

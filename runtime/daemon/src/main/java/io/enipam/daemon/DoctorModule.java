package io.enipam.daemon;

import io.enipam.diagnostics.doctor.AddressFileState;
import io.enipam.diagnostics.doctor.Catalogue;
import io.enipam.diagnostics.doctor.ConditionTracker;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.ConfigChecks.ConfigState;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginState;
import io.enipam.diagnostics.doctor.DatabaseChecks.DatabaseState;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.FileRights.Modes;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.PoolChecks.RecentSamples;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.doctor.ProcessChecks.KeptEvents;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.node.kernel.HostNodeView;
import io.enipam.store.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Assembles the doctor: which probe reads which facts of this daemon, and which action runs for which repair.
 *
 * @param query the daemon's parts for inspection
 * @param starts of the daemon, this one included
 * @param readiness whether an ADD could be served now
 */
record DoctorModule(
        QueryModule query,
        SourceComparison comparing,
        OperatorQuota share,
        ConditionTracker watch,
        Starts starts,
        AddReadiness readiness) {
    private static final Path NETFILTER = Path.of("/proc/sys/net/netfilter");

    Doctor doctor() {
        FileRights files = new FileRights(
                query.socket(),
                query.on().base().layout.database(),
                query.on().base().layout.auditLog());
        KernelProbes kernel =
                new KernelProbes(query.on().node().kernel, query.on().storage().db(), query.running().engine);
        RepairActions repairs = new RepairActions(
                query.running().engine,
                query.on().session().access(),
                query.running().database,
                query.running().plugins,
                query.on().supply().inForce,
                files,
                kernel);
        return new Doctor(
                Catalogue.all(),
                kernel.addTo(probes(files)),
                repairs.repairs(),
                query.running().info.time());
    }

    private Probes probes(FileRights files) {
        Probes probes = new Probes()
                .with(
                        RecentSamples.class,
                        () -> new RecentSamples(query.running().history.samples()))
                .with(Observations.class, watch::facts)
                .with(Starts.class, () -> starts)
                .with(AddReadiness.Result.class, () -> readiness.evaluate())
                .with(
                        DatabaseState.class,
                        () -> new DatabaseState(
                                query.on().storage().db().trouble(),
                                bytesOf(query.on().base().layout.database())))
                .with(
                        Verification.class,
                        () -> query.running()
                                .database
                                .verify()
                                .toCompletableFuture()
                                .get())
                .with(AddressFileState.class, this::addressFiles)
                .with(
                        DiskSpace.class,
                        () -> DiskSpace.of(query.on().base().layout.database()))
                .with(Modes.class, files::look)
                .with(ProcessState.class, ProcessState::ofThis)
                .with(Conntrack.class, () -> Conntrack.read(NETFILTER))
                .with(
                        PluginState.class,
                        () -> new PluginState(
                                query.running().plugins.reports().all(),
                                query.on().supply().inForce.selectedPolicy(),
                                query.on().supply().inForce.policyInForce(),
                                query.on().supply().inForce.trouble()))
                .with(
                        ConfigState.class,
                        () -> new ConfigState(
                                query.on().base().live.now().warnings(),
                                query.on().base().live.now().ignoredSettings(),
                                query.on().base().live.now().pending(),
                                query.on().base().live.troubles()))
                .with(
                        KeptEvents.class,
                        () -> new KeptEvents(query.on().base().events.after(0), EventRing.SIZE));
        new EngineProbes(
                        query.running().info,
                        query.on().base().live,
                        query.running().engine,
                        query.on().storage().db(),
                        query.on().node().pods,
                        query.running().overrides,
                        comparing)
                .addTo(probes);
        new CloudProbes(query.on().session().access(), query.on().cloud().calls, share).addTo(probes);
        new ClusterProbes(query.on().node().inspector()).addTo(probes);
        return probes;
    }

    private AddressFileState addressFiles() throws IOException {
        Optional<NodeCidr> cidr = query.on().supply().nodeCidr.inUse();
        return cidr.isEmpty()
                ? AddressFileState.none()
                : AddressFileState.of(
                        query.on().supply().nodeCidr.files(),
                        cidr.get(),
                        query.on().storage().db().contents().leases(),
                        HostNodeView.ownRoutes().keySet(),
                        query.running().info.time().now());
    }

    static long bytesOf(Path directory) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                // ignore a file that a checkpoint has just removed
                bytes += Files.isRegularFile(file) && Files.exists(file)
                        ? file.toFile().length()
                        : 0;
            }
        }
        return bytes;
    }
}

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
import io.enipam.node.kernel.HostRoutes;
import io.enipam.store.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Puts the doctor together: who gathers which facts of this daemon, and who does which repair.
 *
 * @param desk what the daemon consists of
 * @param starts of the daemon, this one included
 * @param readiness whether an ADD could be served now
 */
record DoctorModule(
        QueryModule desk,
        SourceComparison comparing,
        OperatorQuota share,
        ConditionTracker watch,
        Starts starts,
        AddReadiness readiness) {
    private static final Path NETFILTER = Path.of("/proc/sys/net/netfilter");

    Doctor doctor() {
        FileRights files = new FileRights(
                desk.socket(), desk.layout().database(), desk.layout().auditLog());
        KernelProbes kernel = new KernelProbes(desk.kernel(), desk.db(), desk.engine());
        RepairActions repairs = new RepairActions(
                desk.engine(), desk.cloud(), desk.database(), desk.plugins(), desk.inForce(), files, kernel);
        return new Doctor(
                Catalogue.all(),
                kernel.addTo(probes(files)),
                repairs.repairs(),
                desk.facts().time());
    }

    private Probes probes(FileRights files) {
        Probes probes = new Probes()
                .with(
                        RecentSamples.class,
                        () -> new RecentSamples(desk.history().samples()))
                .with(Observations.class, watch::facts)
                .with(Starts.class, () -> starts)
                .with(AddReadiness.Result.class, () -> readiness.evaluate())
                .with(
                        DatabaseState.class,
                        () -> new DatabaseState(
                                desk.db().trouble(),
                                bytesOf(desk.layout().database())))
                .with(
                        Verification.class,
                        () -> desk.database().verify().toCompletableFuture().get())
                .with(AddressFileState.class, this::addressFiles)
                .with(DiskSpace.class, () -> DiskSpace.of(desk.layout().database()))
                .with(Modes.class, files::look)
                .with(ProcessState.class, ProcessState::ofThis)
                .with(Conntrack.class, () -> Conntrack.read(NETFILTER))
                .with(
                        PluginState.class,
                        () -> new PluginState(
                                desk.plugins().reports().all(),
                                desk.inForce().selectedPolicy(),
                                desk.inForce().policyInForce(),
                                desk.inForce().trouble()))
                .with(
                        ConfigState.class,
                        () -> new ConfigState(
                                desk.config().now().warnings(),
                                desk.config().now().ignoredSettings(),
                                desk.config().now().pending(),
                                desk.config().troubles()))
                .with(KeptEvents.class, () -> new KeptEvents(desk.events().after(0), EventRing.SIZE));
        new EngineProbes(desk.facts(), desk.config(), desk.engine(), desk.db(), desk.pods(), desk.orders(), comparing)
                .addTo(probes);
        new CloudProbes(desk.cloud(), desk.calls(), share).addTo(probes);
        new ClusterProbes(desk.cluster()).addTo(probes);
        return probes;
    }

    private AddressFileState addressFiles() throws IOException {
        Optional<NodeCidr> cidr = desk.nodeCidr().inUse();
        return cidr.isEmpty()
                ? AddressFileState.none()
                : AddressFileState.of(
                        desk.nodeCidr().files(),
                        cidr.get(),
                        desk.db().contents().leases(),
                        HostRoutes.ofThisNode().keySet(),
                        desk.facts().time().now());
    }

    static long bytesOf(Path directory) throws IOException {
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

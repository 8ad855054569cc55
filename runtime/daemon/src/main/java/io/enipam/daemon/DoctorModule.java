package io.enipam.daemon;

import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.doctor.check.Catalogue;
import io.enipam.diagnostics.doctor.fact.AddressFileFacts;
import io.enipam.diagnostics.doctor.fact.ConfigFacts;
import io.enipam.diagnostics.doctor.fact.ConntrackFacts;
import io.enipam.diagnostics.doctor.fact.DatabaseFacts;
import io.enipam.diagnostics.doctor.fact.DiskFacts;
import io.enipam.diagnostics.doctor.fact.EventFacts;
import io.enipam.diagnostics.doctor.fact.FileFacts;
import io.enipam.diagnostics.doctor.fact.FileModes;
import io.enipam.diagnostics.doctor.fact.HistoryFacts;
import io.enipam.diagnostics.doctor.fact.PluginFacts;
import io.enipam.diagnostics.doctor.fact.ProcessFacts;
import io.enipam.diagnostics.doctor.fact.ReadinessFacts;
import io.enipam.diagnostics.doctor.fact.StartFacts;
import io.enipam.diagnostics.doctor.fact.VerifiedFacts;
import io.enipam.diagnostics.doctor.fact.Watch;
import io.enipam.diagnostics.doctor.fact.WatchFacts;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.sources.PeoplesShare;
import io.enipam.diagnostics.sources.compare.Comparing;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.node.kernel.HostNodeView;
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
        Comparing comparing,
        PeoplesShare share,
        Watch watch,
        StartFacts starts,
        AddReadiness readiness) {
    private static final Path NETFILTER = Path.of("/proc/sys/net/netfilter");

    Doctor doctor() {
        FileModes files = new FileModes(
                desk.socket(), desk.layout().database(), desk.layout().auditLog());
        RepairActions repairs =
                new RepairActions(desk.engine(), desk.cloud(), desk.database(), desk.plugins(), desk.inForce(), files);
        return new Doctor(
                Catalogue.all(),
                kernel().addTo(probes(files)),
                kernel().addTo(repairs.repairs()),
                desk.facts().time());
    }

    private KernelProbes kernel() {
        return new KernelProbes(desk.kernel(), desk.db(), desk.engine());
    }

    private Probes probes(FileModes files) {
        Probes probes = new Probes()
                .with(HistoryFacts.class, () -> new HistoryFacts(desk.history().samples()))
                .with(WatchFacts.class, watch::facts)
                .with(StartFacts.class, () -> starts)
                .with(ReadinessFacts.class, () -> new ReadinessFacts(readiness.evaluate()))
                .with(
                        DatabaseFacts.class,
                        () -> new DatabaseFacts(
                                desk.db().contents(),
                                desk.db().trouble(),
                                bytesOf(desk.layout().database())))
                .with(
                        VerifiedFacts.class,
                        () -> new VerifiedFacts(
                                desk.database().verify().toCompletableFuture().get()))
                .with(AddressFileFacts.class, this::addressFiles)
                .with(DiskFacts.class, () -> DiskFacts.of(desk.layout().database()))
                .with(FileFacts.class, files::look)
                .with(ProcessFacts.class, ProcessFacts::ofThis)
                .with(ConntrackFacts.class, () -> ConntrackFacts.read(NETFILTER))
                .with(
                        PluginFacts.class,
                        () -> new PluginFacts(
                                desk.plugins().reports().all(),
                                desk.inForce().selectedPolicy(),
                                desk.inForce().policyInForce(),
                                desk.inForce().trouble()))
                .with(
                        ConfigFacts.class,
                        () -> new ConfigFacts(
                                desk.config().now().warnings(),
                                desk.config().now().ignoredSettings(),
                                desk.config().now().pending(),
                                desk.config().troubles()))
                .with(EventFacts.class, () -> new EventFacts(desk.events().after(0), EventRing.SIZE));
        new EngineProbes(desk.facts(), desk.config(), desk.engine(), desk.db(), desk.pods(), desk.orders(), comparing)
                .addTo(probes);
        new CloudProbes(desk.cloud(), desk.calls(), share).addTo(probes);
        new ClusterProbes(desk.cluster()).addTo(probes);
        return probes;
    }

    private AddressFileFacts addressFiles() throws IOException {
        Optional<NodeCidr> cidr = desk.nodeCidr().inUse();
        return cidr.isEmpty()
                ? AddressFileFacts.none()
                : AddressFileFacts.of(
                        desk.nodeCidr().files(),
                        cidr.get(),
                        desk.db().contents().leases(),
                        HostNodeView.ownRoutes().keySet(),
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

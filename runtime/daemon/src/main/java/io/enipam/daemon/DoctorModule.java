package io.enipam.daemon;

import io.enipam.diagnostics.doctor.AddressFileState;
import io.enipam.diagnostics.doctor.ConditionTracker;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.KernelChecks.KernelFaults;
import io.enipam.diagnostics.doctor.PoolChecks.RecentSamples;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.node.kernel.HostNodeView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * Assembles the doctor: which probe reads which facts of this daemon, and which action runs for which repair.
 *
 * @param query the daemon's parts for inspection
 */
record DoctorModule(
        QueryModule query, SourceComparison comparing, OperatorQuota share, ConditionTracker watch, Troubles troubles) {
    private static final Path NETFILTER = Path.of("/proc/sys/net/netfilter");

    Doctor doctor() {
        EngineModule.Foundation on = query.on();
        EngineModule running = query.running();
        BaseModule base = on.base();
        ResourceDb db = on.storage().db();
        FileRights files = new FileRights(query.socket(), base.layout.database(), base.layout.auditLog());
        KernelProbes kernel = new KernelProbes(on.node().kernel, db, running.engine);
        Probes probes = new Probes()
                .with(
                        LeaseHistory.State.class,
                        () -> on.storage().leaseHistory().state())
                .with(RecentSamples.class, () -> new RecentSamples(running.history.samples()))
                .with(Observations.class, watch::facts)
                .with(AddressFileState.class, this::addressFiles)
                .with(Conntrack.class, () -> Conntrack.read(NETFILTER))
                .with(KernelFaults.class, kernel::faults);
        new DaemonProbes(base, on.storage(), on.supply().plugins, running.plugins, running.database, files, troubles)
                .addTo(probes, query.past(), running.engine::policyTrouble);
        new EngineProbes(query, comparing).addTo(probes);
        new CloudProbes(on.session().access(), on.cloud().calls, share).addTo(probes);
        new ClusterProbes(on.node().inspector()).addTo(probes);
        return DaemonProbes.doctor(
                probes, new RepairActions(query, files, kernel).repairs(), running.plugins, base.time);
    }

    private AddressFileState addressFiles() throws IOException {
        NodeCidrProvider provider = query.on().supply().nodeCidr;
        Optional<NodeCidr> cidr = provider.inUse();
        return cidr.isEmpty()
                ? AddressFileState.none()
                : AddressFileState.of(
                        provider.files(),
                        cidr.get(),
                        query.on().storage().db().contents().leases(),
                        HostNodeView.ownRoutes().keySet(),
                        query.on().base().time.now());
    }

    /** Waits for a fact that another thread gathers. */
    static <T> T get(CompletionStage<T> stage) throws InterruptedException, ExecutionException {
        return stage.toCompletableFuture().get();
    }
}

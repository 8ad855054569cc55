package io.enipam.daemon;

import io.enipam.config.DaemonConfig;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.AddressFileState;
import io.enipam.diagnostics.doctor.Catalogue;
import io.enipam.diagnostics.doctor.ConditionTracker;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.ConfigChecks.ConfigState;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginOutput;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginState;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.ExtensionChecks.ExtensionState;
import io.enipam.diagnostics.doctor.ExtensionChecks.ExtensionState.Unserved;
import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.FileRights.Modes;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.KernelChecks.KernelFaults;
import io.enipam.diagnostics.doctor.PluginChecks;
import io.enipam.diagnostics.doctor.PoolChecks.RecentSamples;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.doctor.ProcessChecks.DatabaseState;
import io.enipam.diagnostics.doctor.ProcessChecks.KeptEvents;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.port.ResourceDb;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.node.kernel.HostNodeView;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.Signals;
import io.enipam.store.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
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
        EngineModule.Foundation on = query.on();
        EngineModule running = query.running();
        BaseModule base = on.base();
        ResourceDb db = on.storage().db();
        Path directory = base.layout.database();
        FileRights files = new FileRights(query.socket(), directory, base.layout.auditLog());
        KernelProbes kernel = new KernelProbes(on.node().kernel, db, running.engine);
        Probes probes = new Probes()
                .with(RecentSamples.class, () -> new RecentSamples(running.history.samples()))
                .with(Observations.class, watch::facts)
                .with(Starts.class, () -> starts)
                .with(AddReadiness.Result.class, readiness::evaluate)
                .with(DatabaseState.class, () -> new DatabaseState(db.trouble(), bytesOf(directory)))
                .with(Verification.class, () -> running.database.verify().get())
                .with(AddressFileState.class, this::addressFiles)
                .with(DiskSpace.class, () -> DiskSpace.of(directory))
                .with(Modes.class, files::look)
                .with(ProcessState.class, ProcessState::ofThis)
                .with(Conntrack.class, () -> Conntrack.read(NETFILTER))
                .with(PluginState.class, () -> plugins(running, on.supply().inForce))
                .with(PluginOutput.class, () -> output(running.plugins, on.supply().host))
                .with(ExtensionState.class, () -> extensions(running.plugins, on.supply().host, db))
                .with(ConfigState.class, () -> config(base.live))
                .with(KeptEvents.class, () -> new KeptEvents(base.events.after(0), EventRing.SIZE))
                .with(KernelFaults.class, kernel::faults);
        new EngineProbes(query, comparing).addTo(probes);
        new CloudProbes(on.session().access(), on.cloud().calls, share).addTo(probes);
        new ClusterProbes(on.node().inspector()).addTo(probes);
        PluginChecks ofPlugins = new PluginChecks(running.plugins.commands().parts(), running.plugins.commands());
        return new Doctor(
                () -> Stream.concat(Catalogue.all().stream(), ofPlugins.all().stream())
                        .toList(),
                probes,
                new RepairActions(query, files, kernel).repairs(),
                base.time);
    }

    private static PluginState plugins(EngineModule running, ActiveSelection inForce) {
        return new PluginState(
                running.plugins.reports().all(),
                inForce.selectedPolicy(),
                inForce.policyInForce(),
                inForce.trouble(),
                running.plugins.reports().replaced(),
                running.engine.policyTrouble());
    }

    private static PluginOutput output(PluginServices plugins, PluginHost host) {
        Map<String, String> limits = new TreeMap<>(plugins.commands().parts().refused());
        host.signals()
                .forEach(signals -> signals.overflowing()
                        .forEach(metric -> limits.put(
                                metric, "has more than " + Signals.MOST_SERIES + " combinations of label values")));
        return new PluginOutput(limits);
    }

    private static ExtensionState extensions(PluginServices plugins, PluginHost host, ResourceDb db) {
        Set<String> running =
                host.extensions().running().stream().map(RunningPart::name).collect(Collectors.toSet());
        return new ExtensionState(
                plugins.effects().all(),
                plugins.claims().differences(),
                host.extensions().opening() ? List.of() : Unserved.of(db.rows(), running));
    }

    private static ConfigState config(LiveConfig live) {
        DaemonConfig now = live.now();
        return new ConfigState(now.warnings(), now.ignoredSettings(), now.pending(), live.troubles());
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

    static long bytesOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            // the length of a file that a checkpoint has just removed is 0
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** Waits for a fact that another thread gathers. */
    static <T> T get(CompletionStage<T> stage) throws InterruptedException, ExecutionException {
        return stage.toCompletableFuture().get();
    }
}

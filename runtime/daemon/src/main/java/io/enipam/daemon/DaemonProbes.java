package io.enipam.daemon;

import io.enipam.config.DaemonConfig;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.Catalogue;
import io.enipam.diagnostics.doctor.ConfigChecks.ConfigState;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginOutput;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginState;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.ExtensionChecks.ExtensionState;
import io.enipam.diagnostics.doctor.ExtensionChecks.ExtensionState.Unserved;
import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.FileRights.Modes;
import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.PluginChecks;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.doctor.ProcessChecks.DatabaseState;
import io.enipam.diagnostics.doctor.ProcessChecks.KeptEvents;
import io.enipam.diagnostics.doctor.ProcessChecks.RecordFiles;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.recovery.DatabaseService;
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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The facts of the daemon itself for the doctor, whatever its role: process, files, database, configuration, plugins. */
record DaemonProbes(
        BaseModule base,
        StorageModule storage,
        PluginModule plugins,
        PluginServices services,
        DatabaseService database,
        FileRights files,
        Troubles troubles) {
    /** @param policyTrouble what is wrong with what the policy asks for; empty if nothing is */
    Probes addTo(Probes probes, Past past, Supplier<Optional<String>> policyTrouble) {
        Path directory = base.layout.database();
        return probes.with(Starts.class, () -> base.starts)
                .with(Troubles.Found.class, troubles::find)
                .with(DatabaseState.class, () -> new DatabaseState(bytesOf(directory)))
                .with(RecordFiles.class, () -> new RecordFiles(past.states()))
                .with(Verification.class, () -> database.verify().get())
                .with(DiskSpace.class, () -> DiskSpace.of(directory))
                .with(Modes.class, files::look)
                .with(ProcessState.class, ProcessState::ofThis)
                .with(PluginState.class, () -> plugins(policyTrouble))
                .with(PluginOutput.class, this::output)
                .with(ExtensionState.class, this::extensions)
                .with(ConfigState.class, this::config)
                .with(KeptEvents.class, () -> new KeptEvents(base.events.after(0), EventRing.SIZE));
    }

    /** The doctor with these probes and repairs, and the checks of plugins beside those there are. */
    static Doctor doctor(
            Probes probes, Map<Repair, Repair.Operation> repairs, PluginServices services, TimeSource time) {
        PluginChecks ofPlugins = new PluginChecks(services.commands().parts(), services.commands());
        return new Doctor(
                () -> Stream.concat(Catalogue.all().stream(), ofPlugins.all().stream())
                        .toList(),
                probes,
                repairs,
                time);
    }

    private PluginState plugins(Supplier<Optional<String>> policyTrouble) {
        ActiveSelection inForce = plugins.inForce;
        return new PluginState(
                services.reports().all(),
                inForce.selectedPolicy(),
                inForce.policyInForce(),
                inForce.trouble(),
                services.reports().replaced(),
                policyTrouble.get());
    }

    private PluginOutput output() {
        Map<String, String> limits = new TreeMap<>(services.commands().parts().refused());
        plugins.host
                .signals()
                .forEach(signals -> signals.overflowing()
                        .forEach(metric -> limits.put(
                                metric, "has more than " + Signals.MOST_SERIES + " combinations of label values")));
        return new PluginOutput(limits);
    }

    private ExtensionState extensions() {
        Set<String> running = plugins.host.extensions().running().stream()
                .map(RunningPart::name)
                .collect(Collectors.toSet());
        boolean opening = plugins.host.extensions().opening();
        return new ExtensionState(
                services.effects().all(),
                services.claims().differences(),
                opening ? List.of() : Unserved.of(storage.db().rows(), running),
                services.reports().controllers(),
                services.voting().all(),
                plugins.host.endpoints().all());
    }

    private ConfigState config() {
        LiveConfig live = base.live;
        DaemonConfig now = live.now();
        return new ConfigState(now.warnings(), now.ignoredSettings(), now.pending(), live.troubles());
    }

    static long bytesOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            // the length of a file that a checkpoint has just removed is 0
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}

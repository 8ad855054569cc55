package io.enipam.daemon;

import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.Poolless;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.pluginhost.PluginServices;
import io.enipam.recovery.DatabaseService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The inspection of a daemon of role CLUSTER: what it has of that of a node.
 *
 * @param past what outlived former runs
 * @param socket the path of the control socket
 */
record ClusterModule(
        BaseModule base, StorageModule storage, CloudModule cloud, PluginModule plugins, Past past, Path socket) {
    /**
     * @param restart closes this daemon so that another one continues in its place
     * @throws StartupException if the database is that of a node
     */
    ServiceContext open(DaemonInfo info, Runnable restart) throws IOException {
        if (!storage.contents().leases().isEmpty()) {
            throw new StartupException(
                    base.layout.database() + " has the leases of a node; choose another directory for role cluster");
        }
        IpamEngine engine = base.opened.push("engine", new Poolless(base.time));
        PluginServices services = plugins.services(base, engine, info);
        DatabaseService database = storage.service(base, engine, info, restart);
        Troubles troubles = new Troubles(
                engine,
                storage.db(),
                new NodeDatapath(base.layout.simulatedKernel(), base.layout.callersAttachments(), Poolless.LACKS),
                Optional::empty,
                Optional::empty,
                info.emulated(),
                base.live::conditions,
                Optional.empty());
        return new ServiceContext(
                info,
                base.live,
                engine,
                services,
                troubles,
                new ServiceContext.Database(storage.db(), database, storage.leaseHistory()),
                new ServiceContext.Diagnosis(
                        base.events,
                        base.traces,
                        past,
                        cloud.calls,
                        base.opened.push("doctor", doctor(engine, services, database, troubles)),
                        ServiceContext.LastRun.of(base.starts, storage.contents())),
                Optional.empty());
    }

    private Doctor doctor(IpamEngine engine, PluginServices services, DatabaseService database, Troubles troubles)
            throws IOException {
        FileRights files = new FileRights(socket, base.layout.database(), base.layout.auditLog());
        Probes probes = new DaemonProbes(base, storage, plugins, services, database, files, troubles)
                .addTo(Probes.without(Poolless.LACKS), past, engine::policyTrouble);
        return DaemonProbes.doctor(probes, RepairActions.ofEachRole(database, files), services, base.time);
    }
}

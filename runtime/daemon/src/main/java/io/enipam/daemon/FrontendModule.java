package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.frontends.rpc.ControlSocket;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.observability.history.Meters;
import io.enipam.observability.metrics.Scrape;
import io.enipam.observability.metrics.Sources;
import io.enipam.observability.web.Liveness;
import io.enipam.observability.web.Liveness.Deadlocks;
import io.enipam.observability.web.Page.Checks;
import io.enipam.observability.web.Site;
import io.enipam.observability.web.WebListener;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.pluginhost.operator.PluginSignals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a daemon of each role serves: the control socket, metrics and probes.
 *
 * @param meters of database and cloud, and of a node's calls
 */
record FrontendModule(
        BaseModule base, StorageModule storage, PluginModule plugins, ServiceContext served, Meters meters) {
    /**
     * Begins to serve, before the engine has recovered: {@code status} reports what the daemon waits for.
     *
     * @return reports the readiness on the control socket
     * @throws IOException if the socket cannot be made
     */
    ReadinessMonitor open(Path control) throws IOException {
        ControlSocket socket = base.opened.push("socket", ControlSocket.open(control, ownUid(), base.audit, served));
        base.opened.push("event streams", base.events);
        base.opened.push("streams of plugins", served.plugins().commands().parts());
        ReadinessMonitor readiness =
                new ReadinessMonitor(served.troubles(), socket::serving, base.events, meters.failedAdds()::explained);
        readiness.begin(base.opened, storage.db(), base.blocking);
        return readiness;
    }

    /**
     * Begins to serve metrics and the probes of the kubelet, if configured; returns at once, and other threads load the
     * classes.
     */
    void openHttp(ReadinessMonitor readiness) {
        base.config
                .get(Schema.METRICS_LISTEN)
                .ifPresent(address -> base.opened.push(
                        "metrics",
                        new WebListener(address, () -> site(readiness), base.events, base.blocking).begin()));
    }

    private Site site(ReadinessMonitor readiness) {
        Liveness liveness = new Liveness(base.time, base.scheduler, served.engine()::status, Deadlocks::look);
        return new Site()
                .with("/livez", Site.Lane.PROBES, new Checks("livez", liveness::parts))
                .with("/readyz", Site.Lane.PROBES, new Checks("readyz", readiness::parts))
                // the first scrape loads the classes, which makes the start faster
                .withLate("/metrics", Site.Lane.SCRAPES, () -> new Scrape(sources(readiness)));
    }

    private Sources sources(ReadinessMonitor readiness) {
        return new Sources(
                new Sources.Daemon(
                        served.info().version(),
                        base.events.counts(),
                        () -> readiness.parts().stream().noneMatch(Checks.Part::fails),
                        plugins.host.leadership()::leads),
                base.time,
                served.engine(),
                new Sources.Database(
                        storage.db(),
                        base.layout.database(),
                        DaemonProbes::bytesOf,
                        storage.leaseHistory(),
                        served.diagnosis().past()::states),
                meters,
                served.node()
                        .map(ServiceContext.Node::cloud)
                        .map(cloud -> new Sources.Cloud(
                                cloud.enis(), () -> cloud.trouble().get().isEmpty())),
                served.node().flatMap(ServiceContext.Node::cluster),
                new Sources.Plugins(served.plugins().reports()::all, this::ballots, this::metricsOfPlugins));
    }

    /** Each replica has the same tables: one of them shows what is in them. */
    private List<BallotView> ballots() {
        return plugins.host.leadership().leads() ? plugins.host.voting().all() : List.of();
    }

    private List<PluginSignals.Metric> metricsOfPlugins() {
        return plugins.host.signals().stream()
                .flatMap(signals -> signals.metrics().stream())
                .toList();
    }

    /** The process's own entry in proc(5) belongs to its effective user. */
    static int ownUid() throws IOException {
        return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).intValue();
    }
}

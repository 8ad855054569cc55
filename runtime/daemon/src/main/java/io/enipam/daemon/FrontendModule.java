package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.frontends.cni.CniHandler;
import io.enipam.frontends.cni.CniHandler.ClaimContext;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.CniSocket;
import io.enipam.frontends.rpc.ControlService;
import io.enipam.frontends.rpc.ControlSocket;
import io.enipam.frontends.rpc.InspectService;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.frontends.terway.TerwayContext;
import io.enipam.frontends.terway.TerwaySocket;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.observability.metrics.Scrape;
import io.enipam.observability.metrics.Sources;
import io.enipam.observability.web.Liveness;
import io.enipam.observability.web.Liveness.Deadlocks;
import io.enipam.observability.web.Page.Checks;
import io.enipam.observability.web.Site;
import io.enipam.observability.web.WebListener;
import io.enipam.pluginhost.operator.PluginSignals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon's sockets and HTTP pages: the control socket, terway's and the CNI's, metrics and probes. */
record FrontendModule(EngineModule.Foundation on, EngineModule running, ServiceContext served) {
    private static final Logger LOG = LoggerFactory.getLogger(FrontendModule.class);

    /**
     * Begins to serve, before the engine has recovered: {@code status} reports what the daemon waits for, and CNI calls
     * wait.
     *
     * @return reports the readiness on the control socket
     * @throws IOException if a socket cannot be made
     */
    ControlSocket open(Path control) throws IOException {
        BaseModule base = on.base();
        int ownUid = ownUid();
        ControlSocket socket = base.opened.push(
                "socket",
                ControlSocket.open(
                        control, ownUid, base.audit, List.of(new InspectService(served), new ControlService(served))));
        openTerway(ownUid);
        openCni();
        base.opened.push("event streams", base.events);
        return socket;
    }

    /** The socket for terway's own CNI plugin, unless the configuration disables it. */
    private void openTerway(int ownUid) throws IOException {
        BaseModule base = on.base();
        Optional<Path> path = base.config.terwaySocket(base.layout.terwaySocket());
        if (path.isPresent()) {
            NodeCidrProvider nodeCidr = on.supply().nodeCidr;
            TerwayContext context = new TerwayContext(
                    base.live::now,
                    running.engine,
                    on.node().pods,
                    on.node().kernel,
                    on.node().view,
                    new TerwayContext.ClusterNetwork(
                            on.session().services()::usable,
                            () -> nodeCidr.last().map(Object::toString),
                            nodeCidr.files(),
                            base.layout.terwaySandboxes()),
                    base.events,
                    base.blocking);
            base.opened.push("terway's socket", TerwaySocket.open(path.get(), ownUid, context));
        }
    }

    private void openCni() throws IOException {
        BaseModule base = on.base();
        Optional<Path> path = base.live.now().cniSocket(base.layout.cniSocket());
        if (path.isEmpty()) {
            return;
        }
        CniContext context = new CniContext(
                running.engine,
                on.node().pods,
                on.node().kernel,
                served.readiness(),
                new ClaimContext(on.supply().host.claims(), base.traces, on.cloud().meters),
                () -> base.live.now().get(Schema.ALLOCATION_TIMEOUT));
        CniHandler handler =
                new CniHandler(context, base.events, on.cloud().meters.cni()::add);
        base.opened.push("CNI socket", CniSocket.open(path.get(), handler::handle, base.events, base.scheduler));
        LOG.info("serving the CNI on {}", path.get());
    }

    /**
     * Begins to serve metrics and the probes of the kubelet, if configured; returns at once, and other threads load the
     * classes.
     */
    void openHttp(ReadinessMonitor readiness) {
        BaseModule base = on.base();
        base.config
                .get(Schema.METRICS_LISTEN)
                .ifPresent(address -> base.opened.push(
                        "metrics",
                        new WebListener(address, () -> site(readiness), base.events, base.blocking).begin()));
    }

    private Site site(ReadinessMonitor readiness) {
        Liveness liveness = new Liveness(on.base().time, on.base().scheduler, running.engine::status, Deadlocks::look);
        return new Site()
                .with("/livez", Site.Lane.PROBES, new Checks("livez", liveness::parts))
                .with("/readyz", Site.Lane.PROBES, new Checks("readyz", readiness::parts))
                // the first scrape loads the classes, which makes the start faster
                .withLate("/metrics", Site.Lane.SCRAPES, () -> new Scrape(sources(readiness)));
    }

    private Sources sources(ReadinessMonitor readiness) {
        CloudAccess cloud = on.session().access();
        return new Sources(
                new Sources.Daemon(
                        running.info.version(),
                        on.base().events.counts(),
                        () -> readiness.parts().stream()
                                .allMatch(part -> part.trouble().isEmpty())),
                on.base().time,
                running.engine,
                new Sources.Database(on.storage().db(), on.base().layout.database(), DoctorModule::bytesOf),
                on.cloud().meters,
                new Sources.Cloud(on.cloud().calls, cloud, () -> cloud.trouble().isEmpty()),
                on.node().inspector(),
                new Sources.Plugins(running.plugins.reports()::all, this::metricsOfPlugins));
    }

    private List<PluginSignals.Metric> metricsOfPlugins() {
        return on.supply().host.signals().stream()
                .flatMap(signals -> signals.metrics().stream())
                .toList();
    }

    /** The process's own entry in proc(5) belongs to its effective user. */
    private static int ownUid() throws IOException {
        return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).intValue();
    }
}

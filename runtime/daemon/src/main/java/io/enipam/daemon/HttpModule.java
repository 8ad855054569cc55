package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.observability.history.Meters;
import io.enipam.observability.metrics.Scrape;
import io.enipam.observability.metrics.Sources;
import io.enipam.observability.web.Checks;
import io.enipam.observability.web.Deadlocks;
import io.enipam.observability.web.Liveness;
import io.enipam.observability.web.Site;
import io.enipam.observability.web.WebListener;
import io.enipam.pluginhost.PluginServices;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** Puts together what the daemon serves over HTTP: metrics, and the probes of the kubelet. */
record HttpModule(
        DaemonInfo facts,
        DaemonConfig config,
        DaemonLayout layout,
        IpamEngine engine,
        ResourceDb db,
        Meters meters,
        ApiCallLog calls,
        CloudAccess cloud,
        Optional<ClusterInspector> cluster,
        PluginServices plugins,
        EventRing events,
        ReadinessMonitor readiness) {
    /**
     * Begins to serve, where the configuration wants it; returns at once, and what it takes is loaded by other threads.
     *
     * @param opened takes what is to be closed in the end
     */
    void open(Closer opened, Scheduler scheduler, ScheduledExecutorService blocking) {
        config.metrics()
                .ifPresent(address -> opened.push(
                        "metrics", new WebListener(address, () -> site(scheduler), events, blocking).begin()));
    }

    private Site site(Scheduler scheduler) {
        Liveness liveness = new Liveness(facts.time(), scheduler, engine::status, Deadlocks::look);
        return new Site()
                .with("/livez", Site.Lane.PROBES, new Checks("livez", liveness::parts))
                .with("/readyz", Site.Lane.PROBES, new Checks("readyz", readiness::parts))
                // what it takes is loaded when somebody scrapes: a start is faster without
                .withLate("/metrics", Site.Lane.SCRAPES, () -> new Scrape(sources()));
    }

    private Sources sources() {
        return new Sources(
                facts.version(),
                facts.time(),
                engine,
                db,
                layout.database(),
                DoctorModule::bytesOf,
                meters,
                calls,
                cloud,
                () -> cloud.trouble().isEmpty(),
                cluster,
                plugins.reports()::all,
                events.counts(),
                () -> readiness.parts().stream().allMatch(part -> part.trouble().isEmpty()));
    }
}

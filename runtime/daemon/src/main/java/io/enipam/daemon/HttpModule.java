package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.daemon.cloud.CloudAccess;
import io.enipam.daemon.cluster.ClusterInspector;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.events.EventRing;
import io.enipam.daemon.history.Meters;
import io.enipam.daemon.metrics.Scrape;
import io.enipam.daemon.metrics.Sources;
import io.enipam.daemon.plugin.PluginServices;
import io.enipam.daemon.rpc.DaemonInfo;
import io.enipam.daemon.web.Checks;
import io.enipam.daemon.web.Deadlocks;
import io.enipam.daemon.web.Liveness;
import io.enipam.daemon.web.Site;
import io.enipam.daemon.web.WebListener;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
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

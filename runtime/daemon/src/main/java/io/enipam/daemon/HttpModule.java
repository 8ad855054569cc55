package io.enipam.daemon;

import io.enipam.node.cloud.CloudAccess;
import io.enipam.observability.metrics.Scrape;
import io.enipam.observability.metrics.Sources;
import io.enipam.observability.web.Checks;
import io.enipam.observability.web.Liveness;
import io.enipam.observability.web.Liveness.Deadlocks;
import io.enipam.observability.web.Site;
import io.enipam.observability.web.WebListener;

/** What the daemon serves over HTTP: metrics, and the probes of the kubelet. */
record HttpModule(EngineModule.Foundation on, EngineModule running, ReadinessMonitor readiness) {
    /** Begins to serve, where the configuration wants it; returns at once, and what it takes is loaded by other threads. */
    void open() {
        BaseModule base = on.base();
        base.config
                .metrics()
                .ifPresent(address -> base.opened.push(
                        "metrics", new WebListener(address, this::site, base.events, base.blocking).begin()));
    }

    private Site site() {
        Liveness liveness = new Liveness(on.base().time, on.base().scheduler, running.engine::status, Deadlocks::look);
        return new Site()
                .with("/livez", Site.Lane.PROBES, new Checks("livez", liveness::parts))
                .with("/readyz", Site.Lane.PROBES, new Checks("readyz", readiness::parts))
                // what it takes is loaded with the first scrape: a start is faster without
                .withLate("/metrics", Site.Lane.SCRAPES, () -> new Scrape(sources()));
    }

    private Sources sources() {
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
                running.plugins.reports()::all);
    }
}

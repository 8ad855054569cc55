package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.observability.metrics.Scrape;
import io.enipam.observability.metrics.Sources;
import io.enipam.observability.web.Checks;
import io.enipam.observability.web.Liveness;
import io.enipam.observability.web.Liveness.Deadlocks;
import io.enipam.observability.web.Site;
import io.enipam.observability.web.WebListener;

/** The daemon's HTTP pages: metrics, and the probes of the kubelet. */
record HttpModule(EngineModule.Foundation on, EngineModule running, ReadinessMonitor readiness) {
    /** Begins to serve, if configured; returns at once, and other threads load the classes. */
    void open() {
        BaseModule base = on.base();
        base.config
                .get(Schema.METRICS_LISTEN)
                .ifPresent(address -> base.opened.push(
                        "metrics", new WebListener(address, this::site, base.events, base.blocking).begin()));
    }

    private Site site() {
        Liveness liveness = new Liveness(on.base().time, on.base().scheduler, running.engine::status, Deadlocks::look);
        return new Site()
                .with("/livez", Site.Lane.PROBES, new Checks("livez", liveness::parts))
                .with("/readyz", Site.Lane.PROBES, new Checks("readyz", readiness::parts))
                // the first scrape loads the classes, which makes the start faster
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

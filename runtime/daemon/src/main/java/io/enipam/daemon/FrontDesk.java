package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiBudget;
import io.enipam.aliyun.calls.CallBook;
import io.enipam.daemon.cloud.CloudAccess;
import io.enipam.daemon.cloud.EmulatedCloud;
import io.enipam.daemon.cluster.ClusterSight;
import io.enipam.daemon.cluster.NodeCidrOpener;
import io.enipam.daemon.cni.AddReadiness;
import io.enipam.daemon.db.DatabaseDesk;
import io.enipam.daemon.doctor.Doctor;
import io.enipam.daemon.doctor.fact.StartBook;
import io.enipam.daemon.doctor.fact.Watch;
import io.enipam.daemon.events.EventRing;
import io.enipam.daemon.explain.Explainer;
import io.enipam.daemon.history.History;
import io.enipam.daemon.kernel.NodeKernel;
import io.enipam.daemon.live.LiveConfig;
import io.enipam.daemon.orders.StandingOrders;
import io.enipam.daemon.plugin.InForce;
import io.enipam.daemon.plugin.Plugins;
import io.enipam.daemon.pods.NodePods;
import io.enipam.daemon.rpc.DaemonFacts;
import io.enipam.daemon.rpc.Served;
import io.enipam.daemon.sources.ApiServerSource;
import io.enipam.daemon.sources.BookSource;
import io.enipam.daemon.sources.CloudSource;
import io.enipam.daemon.sources.DatabaseSource;
import io.enipam.daemon.sources.KernelSource;
import io.enipam.daemon.sources.KnownPods;
import io.enipam.daemon.sources.PeoplesShare;
import io.enipam.daemon.sources.PodsSource;
import io.enipam.daemon.sources.PoolSource;
import io.enipam.daemon.sources.Source;
import io.enipam.daemon.sources.Sources;
import io.enipam.daemon.sources.compare.Comparing;
import io.enipam.daemon.sources.compare.Comparison;
import io.enipam.daemon.trace.TraceRing;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.StandingOrder;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Puts together what people ask of a daemon that runs: what every source says, what of that does not fit, why, and the doctor.
 *
 * @param socket the path of the control socket
 */
record FrontDesk(
        DaemonFacts facts,
        LiveConfig config,
        DaemonLayout layout,
        Path socket,
        IpamEngine engine,
        ResourceDb db,
        DatabaseDesk database,
        NodePods pods,
        NodeKernel kernel,
        CloudAccess cloud,
        EmulatedCloud emulated,
        CallBook calls,
        EventRing events,
        TraceRing traces,
        History history,
        Plugins plugins,
        InForce inForce,
        StandingOrders orders,
        NodeCidrOpener nodeCidr,
        Optional<ClusterSight> cluster) {
    /**
     * Opens it.
     *
     * @param opened takes what is to be closed in the end
     * @param timer looks at the pool again and again
     */
    Served open(ClosingOrder opened, Scheduler scheduler, ScheduledExecutorService timer) {
        TimeSource time = facts.time();
        PeoplesShare share = new PeoplesShare(time, api -> room(calls.budget(api)));
        Sources sources = opened.push("sources", sources(share, scheduler));
        Comparing comparing = new Comparing(sources, Comparison.all(), scheduler);
        Watch watch = new Watch(time, engine::pool, () -> engine.order().kind() == StandingOrder.Kind.DRAINED);
        timer.scheduleWithFixedDelay(watch::lookOrSay, 2, 2, TimeUnit.SECONDS);
        DoctorsOffice office = new DoctorsOffice(
                this, comparing, share, watch, StartBook.add(layout.starts(), time.now()), readiness());
        Doctor doctor = opened.push("doctor", office.doctor());
        return new Served(
                facts,
                config,
                engine,
                db,
                database,
                pods,
                cloud,
                cloud,
                calls,
                events,
                traces,
                history,
                plugins,
                orders,
                comparing,
                new Explainer(comparing, cloud::witness, share, events, calls, time, engine::decide),
                this::trouble,
                emulated,
                doctor,
                cluster,
                kernel);
    }

    private AddReadiness readiness() {
        return new AddReadiness(
                engine, db, kernel, this::trouble, history.meters().failedAdds()::lasting, facts.emulated());
    }

    private Optional<String> trouble() {
        return cloud.trouble().or(inForce::trouble);
    }

    private Source<KnownPods> podsSource() {
        return cluster.<Source<KnownPods>>map(ApiServerSource::new).orElseGet(() -> new PodsSource(pods));
    }

    private static PeoplesShare.Room room(ApiBudget budget) {
        return new PeoplesShare.Room(budget.allowed(), budget.left());
    }

    private Sources sources(PeoplesShare share, Scheduler scheduler) {
        TimeSource time = facts.time();
        return new Sources(
                List.of(
                        new DatabaseSource(db),
                        new PoolSource(engine),
                        new BookSource(cloud, cloud::used),
                        new CloudSource(cloud, share, time),
                        new KernelSource(kernel),
                        podsSource()),
                time,
                scheduler);
    }
}

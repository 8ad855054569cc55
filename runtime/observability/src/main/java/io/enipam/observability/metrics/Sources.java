package io.enipam.observability.metrics;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing.EventCounts;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.observability.history.Meters;
import io.enipam.pluginhost.BuiltIns;
import io.enipam.pluginhost.PluginReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Everything that is read at a scrape.
 *
 * @param version of the daemon
 * @param database the directory of the database's files
 * @param databaseSize their bytes
 * @param cloudUsable whether the cloud can be used now
 * @param ready whether ADD is served
 */
public record Sources(
        String version,
        TimeSource time,
        IpamEngine engine,
        ResourceDb db,
        Path database,
        DatabaseSize databaseSize,
        Meters meters,
        ApiCallLog calls,
        EniDirectory enis,
        BooleanSupplier cloudUsable,
        Optional<ClusterInspector> cluster,
        Supplier<List<PluginReport>> plugins,
        EventCounts events,
        BooleanSupplier ready) {

    Moment moment() {
        return new Moment(engine, enis);
    }

    List<Part> parts() {
        return List.of(
                new DaemonPart(version, ready, engine::status, events),
                new PoolPart(engine),
                new CniPart(meters),
                new DatabasePart(db, meters, database, databaseSize),
                new EniPart(),
                new CloudPart(calls, cloudUsable),
                new ClusterPart(cluster, time),
                new PluginPart(plugins, BuiltIns.ID),
                new TerwayPart(meters, calls, events));
    }
}

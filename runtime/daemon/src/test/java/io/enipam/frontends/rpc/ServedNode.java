package io.enipam.frontends.rpc;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.config.KnownPlugins;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.explain.PluginWords.PluginSource;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.testing.FakeDoctor;
import io.enipam.diagnostics.testing.FakeSources;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.node.cloud.CloudEmulation.EmulatedCloudControl;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.pods.SimulatedPods;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Sample;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.pluginhost.testing.FakePlugins;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Role;
import io.enipam.store.Disk;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.RecordLog;
import io.enipam.store.history.ReflectedFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;

/** A node as the services have it, over a fake engine: simulated pods, no kernel, no plugins. */
final class ServedNode {
    final FakeEngine engine = new FakeEngine(250);
    final FakeDb db = new FakeDb();
    final List<EniDirectory.Eni> enis = new CopyOnWriteArrayList<>();
    final ApiCallLog calls;
    final History history;
    private final SystemTime time;
    private final EventRing events;
    private final IpamEngine measured;

    /** @param limits of calls a minute, by API */
    ServedNode(SystemTime time, EventRing events, Map<String, Integer> limits) {
        this.time = time;
        this.events = events;
        calls = new ApiCallLog(time, new SplittableRandom(1), limits);
        Meters meters = new Meters(time, calls);
        measured = meters.counting(engine);
        history = new History(meters, engine::poolSummary, engine::status);
    }

    private static ServiceContext.Past past(Path directory) {
        return new ServiceContext.Past(
                log(directory, Event.class, Event::at),
                log(directory, TraceSnapshot.class, TraceSnapshot::at),
                log(directory, Sample.class, Sample::at));
    }

    /** Of a directory that is not there. */
    private static <T extends Record> RecordLog<T> log(Path directory, Class<T> type, Function<T, Instant> at) {
        return RecordLog.open(
                directory.resolve("no-history"),
                new ReflectedFormat<>(type, "records", record -> Stream.empty(), at, at),
                16,
                () -> new HistoryLimits(Duration.ofDays(1), 1 << 20),
                Clock.systemUTC(),
                Disk.local(),
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("records")));
    }

    ServiceContext context(Path directory, EmulatedCloudControl cloud) throws IOException {
        NodeDatapath kernel = new NodeDatapath(directory.resolve("s"), directory.resolve("c"), "not here");
        LiveConfig config = new LiveConfig(
                ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none()),
                (severity, type, subject, message, attributes) -> {});
        Troubles troubles = new Troubles(
                measured,
                db,
                kernel,
                Optional::empty,
                history.meters().failedAdds()::series,
                true,
                config::conditions,
                Optional.of(new Troubles.Node(() -> enis, Optional.empty(), Optional::empty)));
        return new ServiceContext(
                new DaemonInfo("node-1", Role.NODE, "9.9", "/root-dir", true, false, time, time.nanoTime()),
                config,
                measured,
                FakePlugins.none(directory, engine, events),
                troubles,
                new ServiceContext.Database(
                        db,
                        new DatabaseService(
                                Optional.empty(), db, engine, time, "node-1", directory, directory, () -> {}),
                        LeaseHistory.NONE),
                new ServiceContext.Diagnosis(
                        events,
                        new TraceRing(time, new TraceBounds(100, 1 << 20)),
                        past(directory),
                        calls,
                        FakeDoctor.none(time),
                        Optional.empty()),
                Optional.of(new ServiceContext.Node(
                        SimulatedPods.open(directory.resolve("pods.json"), List.of(), List.of()),
                        kernel,
                        Optional.empty(),
                        new CapacityOverrides(engine, directory.resolve("order.json"), time, events, Runnable::run),
                        new ServiceContext.Cloud(() -> enis, new FakeSweeper(), Optional::empty, cloud),
                        history,
                        FakeSources.comparing(),
                        new Explainer(
                                FakeSources.comparing(),
                                Optional::empty,
                                FakeSources.share(time),
                                new Explainer.Records(events, calls, troubles::find, LeaseHistory.NONE),
                                time,
                                engine::decide,
                                PluginSource.NONE))));
    }
}

package io.enipam.observability.metrics;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.events.EventRing.EventCounts;
import io.enipam.observability.history.Meters;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.endpoint.Endpoints;
import io.enipam.pluginhost.endpoint.Endpoints.EndpointView;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.PodRef;
import io.enipam.store.history.RecordLog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Sources of metrics with as many different things in each as somebody likes. */
final class MeasuredWorld {
    private MeasuredWorld() {}

    static Sources of(int many, Path directory) {
        SystemTime time = new SystemTime();
        ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of("", 100_000));
        Meters meters = new Meters(time, book);
        EventCounts events = new EventCounts();
        FakeEngine engine = new FakeEngine(many);
        for (int i = 0; i < many; i++) {
            engine.add(new AddCommand(
                    new OwnerKey("enipam", "container-" + i, "eth0"),
                    new PodRef("ns-" + i, "pod-" + i),
                    Duration.ofSeconds(1)));
            if (book.acquire(CloudApi.DESCRIBE_VSWITCHES) instanceof CallPermission.Granted granted) {
                book.recordServed(CloudApi.DESCRIBE_VSWITCHES, granted, "Error.Number" + i, Duration.ofMillis(i));
            }
            book.metadata().begin("path-" + i).accept(i % 2 == 0);
            events.add(Event.Severity.INFO, "Type" + i);
        }
        List<EniDirectory.Eni> enis = IntStream.range(0, many)
                .mapToObj(i -> new EniDirectory.Eni(
                        "eni-" + i,
                        "02:" + i,
                        "State" + i,
                        "vsw-" + i,
                        10,
                        new EniAddresses("10.0.0.1", List.of("10.0.0.1"), List.of()),
                        0,
                        Instant.EPOCH))
                .toList();
        List<PluginReport> plugins = IntStream.range(0, many)
                .mapToObj(i -> new PluginReport(
                        new PluginManifest("plugin-" + i, "1", ""),
                        "",
                        new PluginReport.Status(PluginReport.State.ACTIVE, Instant.EPOCH, ""),
                        new PluginReport.Parts(
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of(controller("plugin-" + i)),
                                List.of(endpoint("plugin-" + i))),
                        List.of(),
                        List.of(),
                        PluginReport.Counts.NONE))
                .toList();
        List<BallotView> ballots =
                IntStream.range(0, many).mapToObj(MeasuredWorld::claim).toList();
        return new Sources(
                new Sources.Daemon("1.2.3", events, () -> false, () -> true),
                time,
                engine,
                new Sources.Database(
                        new FakeDb(),
                        directory,
                        path -> 42,
                        LeaseHistory.NONE,
                        () -> Map.of("events", new RecordLog.State(3, 200, Optional.empty(), 1, Optional.of("full")))),
                meters,
                Optional.of(new Sources.Cloud(() -> enis, () -> true)),
                Optional.empty(),
                new Sources.Plugins(() -> plugins, () -> ballots, List::of));
    }

    private static EndpointView endpoint(String plugin) {
        return new EndpointView(
                plugin,
                "of-" + plugin,
                "unix:/run/" + plugin,
                Endpoints.State.LISTENING,
                Instant.EPOCH,
                "",
                new Endpoints.Counts(64, 1, 2, 3, 4));
    }

    /** Of each ballot two, one of which is decided. */
    private static BallotView claim(int i) {
        return new BallotView(
                "plugin-0",
                "tasks",
                "ballot-" + i / 2,
                new ClaimId("c" + i),
                i % 2 == 0 ? "WAITING" : "REFUSED",
                Instant.EPOCH,
                List.of());
    }

    private static ControllerView controller(String plugin) {
        return new ControllerView(
                plugin,
                "of-" + plugin,
                ControllerView.State.ACTIVE,
                "",
                new ControllerView.Load(1, 2, 3, 4, 8, 100),
                new ControllerView.Counts(5, 6, 7, Duration.ofSeconds(8)),
                List.of());
    }
}

package io.enipam.diagnostics.doctor;

import io.enipam.aliyun.CloudProbe.Limits;
import io.enipam.aliyun.CloudProbe.VSwitchRoom;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.diagnostics.doctor.ClockChecks.CloudClock;
import io.enipam.diagnostics.doctor.CloudChecks.CloudCalls;
import io.enipam.diagnostics.doctor.CloudChecks.CloudKeys;
import io.enipam.diagnostics.doctor.CloudChecks.MetadataReply;
import io.enipam.diagnostics.doctor.CloudChecks.UnfinishedWork;
import io.enipam.diagnostics.doctor.CloudChecks.VSwitches;
import io.enipam.diagnostics.doctor.ClusterChecks.Credentials;
import io.enipam.diagnostics.doctor.ClusterChecks.NodeObject;
import io.enipam.diagnostics.doctor.ClusterChecks.PodListDifference;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.ConfigChecks.ConfigState;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginOutput;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginState;
import io.enipam.diagnostics.doctor.ExtensionChecks.ExtensionState;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.FileRights.Modes;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.KernelChecks.KernelFaults;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.doctor.PoolChecks.GcPreview;
import io.enipam.diagnostics.doctor.PoolChecks.PoolOverride;
import io.enipam.diagnostics.doctor.PoolChecks.RecentSamples;
import io.enipam.diagnostics.doctor.ProcessChecks.DatabaseState;
import io.enipam.diagnostics.doctor.ProcessChecks.KeptEvents;
import io.enipam.diagnostics.doctor.ProcessChecks.RecordFiles;
import io.enipam.diagnostics.doctor.ProcessChecks.Versions;
import io.enipam.diagnostics.doctor.SourceChecks.SourceDifferences;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.node.ClusterReader.NodeNetworkInfo;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.observability.history.Sample;
import io.enipam.observability.history.Sample.CallCount;
import io.enipam.observability.history.Sample.CloudCount;
import io.enipam.observability.history.Sample.GcCount;
import io.enipam.observability.history.Sample.ProcessGauge;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.store.Verification;
import io.enipam.store.history.RecordLog;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node in good health, of which a test spoils one thing at a time. */
final class Patient implements Facts {
    static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    static final String INSTANCE = "i-1";

    private final Map<Class<?>, Record> parts = new HashMap<>();

    private Patient() {}

    static Instant ago(Duration ago) {
        return NOW.minus(ago);
    }

    static Instant minutesAgo(int minutes) {
        return ago(Duration.ofMinutes(minutes));
    }

    static Patient healthy() {
        return new Patient()
                .with(engine(pool(2, 3, 10, 0)))
                .with(new SourceDifferences(List.of(), Map.of()))
                .with(adds(100, Map.of()))
                .with(new KnownEnis(List.of(eni("InUse", minutesAgo(90), 0))))
                .with(new Observations(List.of(), Optional.empty(), Optional.empty()))
                .with(new PoolOverride(CapacityOverride.none(minutesAgo(90)), ""))
                .with(new Starts(List.of(minutesAgo(600), minutesAgo(90)), Optional.empty()))
                .with(new GcPreview(List.of(), List.of(), List.of()))
                .with(new KernelFaults(Optional.empty(), Optional.empty(), List.of()))
                .with(new Troubles.Found(List.of(), false))
                .with(sweep())
                .with(new DatabaseState(1 << 20))
                .with(new UnfinishedWork(List.of(), List.of()))
                .with(new Verification(7, List.of(), List.of()))
                .with(new LeaseHistory.State(1000, 65_000, Optional.of(minutesAgo(600)), Optional.empty()))
                .with(new RecordFiles(Map.of(
                        "events",
                        new RecordLog.State(1000, 65_000, Optional.of(minutesAgo(600)), 0, Optional.empty()))))
                .with(new DiskSpace(
                        Path.of("/db"), 100L << 30, 50L << 30, Optional.of(new DiskSpace.Inodes(1000, 900))))
                .with(rights("rw-rw----"))
                .with(new ProcessState(100, 1000, 10, 100, List.of(), Optional.of(new ProcessState.Cgroup(50, 100))))
                .with(new AddressFileState("/var/lib/cni/networks", 3, 1, List.of()))
                .with(new Conntrack(
                        Map.of("nf_conntrack_tcp_timeout_time_wait", Duration.ofSeconds(20)),
                        Optional.of(new Conntrack.Entries(10, 1000))))
                .with(calls(Optional.empty(), List.of(budget(500, 500, 10, Optional.empty(), 0)), List.of()))
                .with(new VSwitches(List.of(room("vsw-a", 200), room("vsw-b", 100))))
                .with(new Limits("ecs.g7.xlarge", 3, 3, 15))
                .with(new CloudKeys("the RAM role", Optional.of(NOW.plus(Duration.ofHours(3))), Optional.empty()))
                .with(new CloudClock(Duration.ofSeconds(-1)))
                .with(new MetadataReply(INSTANCE, INSTANCE, Optional.empty()))
                .with(new PluginState(
                        List.of(), "watermark", "watermark", Optional.empty(), List.of(), Optional.empty()))
                .with(new PluginOutput(Map.of()))
                .with(new ExtensionState(List.of(), List.of(), List.of(), List.of(), List.of(), List.of()))
                .with(new ConfigState(List.of(), List.of(), List.of(), List.of()))
                .with(new KeptEvents(List.of(), 4096))
                .with(new Versions("1.0", "1.0"))
                .with(cluster(watch(true, true), served("LIST pods", 200), served("GET pods", 404)))
                .with(new Credentials("a token", List.of(token(60, 30))))
                .with(new NodeObject("node-1", Optional.of(new NodeNetworkInfo(Map.of("name", "node-1")))))
                .with(new PodListDifference(List.of(), List.of()));
    }

    /** A link whose requests were answered so. */
    static ClusterState cluster(WatchState watch, RequestStats.Count... requests) {
        return cluster(watch, Optional.empty(), Duration.ZERO, requests);
    }

    static ClusterState cluster(
            WatchState watch, Optional<Instant> lost, Duration ahead, RequestStats.Count... requests) {
        return new ClusterState(
                "https://10.0.0.1:6443",
                "the token of a test",
                "node-1",
                watch,
                new ClusterInspector.Traffic(List.of(requests), 3, 20),
                new EventReporter.Lost(lost.isPresent() ? 4 : 0, lost, lost.isPresent() ? "too many" : ""),
                Optional.of(ahead),
                true);
    }

    static WatchState watch(boolean listed, boolean up) {
        return new WatchState(listed, up, minutesAgo(9), Optional.of(minutesAgo(9)), 5, 1, 3, up ? "" : "no route");
    }

    /** Answered a minute ago. */
    static RequestStats.Count served(String request, int code) {
        return new RequestStats.Count(request, code, 7, minutesAgo(1));
    }

    /** One of so many minutes that ends in so many; below zero: that ended. */
    static CredentialStatus token(int minutes, int left) {
        Instant end = NOW.plus(Duration.ofMinutes(left));
        return new CredentialStatus(
                "token", Optional.of(end.minus(Duration.ofMinutes(minutes))), Optional.of(end), Optional.empty());
    }

    /** The same with another part. */
    Patient with(Record part) {
        parts.put(part.getClass(), part);
        return this;
    }

    Patient without(Class<?> part) {
        parts.remove(part);
        return this;
    }

    @Override
    public Instant now() {
        return NOW;
    }

    @Override
    public <T extends Record> T the(Class<T> part) {
        Record found = parts.get(part);
        if (found == null) {
            throw new MissingFact("there is no " + part.getSimpleName() + " here");
        }
        return part.cast(found);
    }

    static EngineState engine(PoolView pool) {
        return engine(EngineStatus.Phase.READY, minutesAgo(90), pool, minutesAgo(1), minutesAgo(1), List.of());
    }

    static EngineState engine(
            EngineStatus.Phase phase,
            Instant since,
            PoolView pool,
            Instant gc,
            Instant sync,
            List<FactoryView> factories) {
        return new EngineState(
                new EngineStatus(
                        phase,
                        since,
                        "",
                        minutesAgo(90),
                        Optional.of(new GcReport(
                                gc, gc, false, 3, List.of(), List.of(), List.of(), GcReport.ClaimsReport.NONE)),
                        Optional.of(new ReconcileReport(sync, sync, 5, List.of(), List.of())),
                        List.of(),
                        Optional.empty()),
                pool,
                config(2, 5, Duration.ofSeconds(30)),
                PendingWork.empty(NOW),
                factories,
                true);
    }

    static EngineConfig config(int minIdle, int maxIdle, Duration coolDown) {
        EngineConfig usual = EngineConfig.defaults();
        return new EngineConfig(
                new Watermarks(minIdle, maxIdle, usual.watermarks().capacity()),
                usual.families(),
                coolDown,
                usual.createTimeout(),
                usual.intervals());
    }

    static PoolView pool(int idle, int lent, int capacity, int waiting) {
        List<PoolView.Entry> entries = new ArrayList<>();
        for (int i = 0; i < idle + lent; i++) {
            entries.add(new PoolView.Entry(
                    resource(i + 1),
                    i < idle ? ResourceState.IDLE : ResourceState.IN_USE,
                    minutesAgo(30),
                    Optional.empty(),
                    i < idle ? Optional.empty() : Optional.of(owner(i)),
                    Optional.empty()));
        }
        return FakeEngine.view(NOW, "eni-ip", new Watermarks(2, 5, capacity), 0, waiting, entries);
    }

    static Resource resource(int number) {
        return new Resource(
                new ResourceId("eni-1/10.0.0." + number),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0." + number + "/24")),
                "eni-1",
                Map.of());
    }

    /** An interval two minutes ago with so many ADDs. */
    static RecentSamples adds(long done, Map<String, Long> failures) {
        CallCount none = new CallCount(0, Map.of(), Optional.empty(), 0);
        return new RecentSamples(List.of(new Sample(
                1,
                minutesAgo(2),
                0,
                Duration.ofSeconds(5),
                new PoolSummary("eni-ip", "watermark", new Watermarks(2, 5, 10), 0, 0, Map.of()),
                new Sample.Counts(
                        new CallCount(done, failures, Optional.empty(), 0),
                        none,
                        new CloudCount(Optional.empty(), Optional.empty(), List.of()),
                        none,
                        new GcCount(0, 0)),
                new ProcessGauge(0, 0, 0, 0, 0, Duration.ZERO),
                "")));
    }

    static OwnerKey owner(int number) {
        return new OwnerKey("enipam", "c" + number, "eth0");
    }

    static GcReport.Collected stale() {
        return new GcReport.Collected(
                new Lease(owner(1), new PodRef("default", "web-0"), "u", resource(1), Duration.ZERO, minutesAgo(20)),
                "the pod is gone");
    }

    static EniDirectory.Eni eni(String state, Instant since, int queued) {
        return new EniDirectory.Eni(
                "eni-1", "", state, "vsw-a", 15, new EniAddresses("10.0.0.1", List.of(), List.of()), queued, since);
    }

    static EniSweeper.Report sweep(EniSweeper.Candidate... candidates) {
        return new EniSweeper.Report(NOW, Duration.ZERO, true, 3, List.of(candidates));
    }

    static EniSweeper.Candidate unknown(boolean taken) {
        return new EniSweeper.Candidate(
                "eni-7",
                "Available",
                "vsw-a",
                List.of("10.0.0.77"),
                Optional.of(minutesAgo(30)),
                Optional.of(Duration.ofMinutes(30)),
                taken,
                taken ? "nobody knows it" : "it is younger than 10m");
    }

    static Modes rights(String socket) {
        return new Modes(List.of(new Modes.Mode(
                "socket",
                "/run/enipam.sock",
                PosixFilePermissions.fromString(socket),
                PosixFilePermissions.fromString("rw-rw----"),
                PosixFilePermissions.fromString("rw-------"))));
    }

    static VSwitchRoom room(String id, long available) {
        return new VSwitchRoom(id, "cn-hangzhou-i", "10.0.0.0/24", available, "");
    }

    static CloudCalls calls(Optional<String> trouble, List<ApiQuotaStatus> budgets, List<CloudCall> calls) {
        return new CloudCalls(budgets, calls, trouble, true);
    }

    static ApiQuotaStatus budget(int limit, int allowed, int used, Optional<Instant> inhibited, long throttles) {
        return new ApiQuotaStatus(
                "AssignPrivateIpAddresses",
                new ApiQuotaStatus.Quota(limit, allowed, used, allowed - used, NOW.plusSeconds(30), inhibited),
                throttles,
                Map.of(),
                LatencySnapshot.NONE,
                LatencySnapshot.NONE,
                LatencySnapshot.NONE);
    }

    /** A call that ended so many minutes ago; empty text: it worked. */
    static CloudCall call(long sequence, int minutesAgo, String code) {
        return new CloudCall(
                sequence,
                minutesAgo(minutesAgo),
                "AssignPrivateIpAddresses",
                "eni-1",
                Duration.ofMillis(30),
                code,
                "R-" + sequence,
                1);
    }
}

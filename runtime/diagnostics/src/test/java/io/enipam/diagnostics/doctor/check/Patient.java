package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.CloudProbe.Limits;
import io.enipam.aliyun.CloudProbe.VSwitchRoom;
import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.aliyun.calls.CloudCall;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.MissingFact;
import io.enipam.diagnostics.doctor.fact.AddressFileFacts;
import io.enipam.diagnostics.doctor.fact.CallFacts;
import io.enipam.diagnostics.doctor.fact.ClockFacts;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import io.enipam.diagnostics.doctor.fact.ConfigFacts;
import io.enipam.diagnostics.doctor.fact.ConntrackFacts;
import io.enipam.diagnostics.doctor.fact.CredentialFacts;
import io.enipam.diagnostics.doctor.fact.DatabaseFacts;
import io.enipam.diagnostics.doctor.fact.DifferenceFacts;
import io.enipam.diagnostics.doctor.fact.DiskFacts;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.diagnostics.doctor.fact.EniFacts;
import io.enipam.diagnostics.doctor.fact.EventFacts;
import io.enipam.diagnostics.doctor.fact.FileFacts;
import io.enipam.diagnostics.doctor.fact.HistoryFacts;
import io.enipam.diagnostics.doctor.fact.KernelFacts;
import io.enipam.diagnostics.doctor.fact.KeyFacts;
import io.enipam.diagnostics.doctor.fact.LimitFacts;
import io.enipam.diagnostics.doctor.fact.ListedFacts;
import io.enipam.diagnostics.doctor.fact.MetadataFacts;
import io.enipam.diagnostics.doctor.fact.NodeFacts;
import io.enipam.diagnostics.doctor.fact.OrderFacts;
import io.enipam.diagnostics.doctor.fact.PendingFacts;
import io.enipam.diagnostics.doctor.fact.PluginFacts;
import io.enipam.diagnostics.doctor.fact.ProcessFacts;
import io.enipam.diagnostics.doctor.fact.ReadinessFacts;
import io.enipam.diagnostics.doctor.fact.StaleFacts;
import io.enipam.diagnostics.doctor.fact.StartFacts;
import io.enipam.diagnostics.doctor.fact.SweepFacts;
import io.enipam.diagnostics.doctor.fact.VSwitchFacts;
import io.enipam.diagnostics.doctor.fact.VerifiedFacts;
import io.enipam.diagnostics.doctor.fact.VersionFacts;
import io.enipam.diagnostics.doctor.fact.WatchFacts;
import io.enipam.diagnostics.readiness.AddReadiness;
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
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.ResourceDb;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.events.DroppedEvents;
import io.enipam.kubernetes.node.NodeNetworkInfo;
import io.enipam.node.cluster.ClusterState;
import io.enipam.node.cluster.WatchState;
import io.enipam.observability.history.CallCount;
import io.enipam.observability.history.CloudCount;
import io.enipam.observability.history.GcCount;
import io.enipam.observability.history.PoolGauge;
import io.enipam.observability.history.ProcessGauge;
import io.enipam.observability.history.Sample;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.store.tools.Verification;
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
                .with(new DifferenceFacts(List.of(), Map.of()))
                .with(adds(100, Map.of()))
                .with(new EniFacts(List.of(eni("InUse", minutesAgo(90), 0))))
                .with(new WatchFacts(List.of(), Optional.empty(), Optional.empty()))
                .with(new OrderFacts(CapacityOverride.none(minutesAgo(90)), ""))
                .with(new StartFacts(List.of(minutesAgo(600), minutesAgo(90))))
                .with(new StaleFacts(List.of(), List.of()))
                .with(new KernelFacts(Optional.empty(), List.of()))
                .with(new ReadinessFacts(new AddReadiness.Result(List.of(), false)))
                .with(sweep())
                .with(new DatabaseFacts(contents(), Optional.empty(), 1 << 20))
                .with(new PendingFacts(List.of(), List.of()))
                .with(new VerifiedFacts(new Verification(7, List.of(), List.of())))
                .with(new DiskFacts(
                        Path.of("/db"), 100L << 30, 50L << 30, Optional.of(new DiskFacts.Inodes(1000, 900))))
                .with(rights("rw-rw----"))
                .with(new ProcessFacts(100, 1000, 10, 100, List.of(), Optional.of(new ProcessFacts.Cgroup(50, 100))))
                .with(new AddressFileFacts("/var/lib/cni/networks", 3, 1, List.of()))
                .with(new ConntrackFacts(
                        Map.of("nf_conntrack_tcp_timeout_time_wait", Duration.ofSeconds(20)),
                        Optional.of(new ConntrackFacts.Entries(10, 1000))))
                .with(calls(Optional.empty(), List.of(budget(500, 500, 10, Optional.empty(), 0)), List.of()))
                .with(new VSwitchFacts(List.of(room("vsw-a", 200), room("vsw-b", 100))))
                .with(new LimitFacts(new Limits("ecs.g7.xlarge", 3, 3, 15)))
                .with(new KeyFacts("the RAM role", Optional.of(NOW.plus(Duration.ofHours(3))), Optional.empty()))
                .with(new ClockFacts(Duration.ofSeconds(-1)))
                .with(new MetadataFacts(INSTANCE, INSTANCE, Optional.empty()))
                .with(new PluginFacts(List.of(), "watermark", "watermark", Optional.empty()))
                .with(new ConfigFacts(List.of(), List.of(), List.of(), List.of()))
                .with(new EventFacts(List.of(), 4096))
                .with(new VersionFacts("1.0", "1.0"))
                .with(cluster(watch(true, true), served("LIST pods", 200), served("GET pods", 404)))
                .with(new CredentialFacts("a token", List.of(token(60, 30))))
                .with(new NodeFacts("node-1", Optional.of(new NodeNetworkInfo(Map.of("name", "node-1")))))
                .with(new ListedFacts(List.of(), List.of()));
    }

    /** A link whose requests were answered so. */
    static ClusterFacts cluster(WatchState watch, RequestStats.Count... requests) {
        return cluster(watch, Optional.empty(), Duration.ZERO, requests);
    }

    static ClusterFacts cluster(
            WatchState watch, Optional<Instant> lost, Duration ahead, RequestStats.Count... requests) {
        return new ClusterFacts(new ClusterState(
                "https://10.0.0.1:6443",
                "the token of a test",
                "node-1",
                watch,
                List.of(requests),
                3,
                20,
                new DroppedEvents.Lost(lost.isPresent() ? 4 : 0, lost, lost.isPresent() ? "too many" : ""),
                Optional.of(ahead),
                true));
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

    static EngineFacts engine(PoolView pool) {
        return engine(EngineStatus.Phase.READY, minutesAgo(90), pool, minutesAgo(1), minutesAgo(1), List.of());
    }

    static EngineFacts engine(
            EngineStatus.Phase phase,
            Instant since,
            PoolView pool,
            Instant gc,
            Instant sync,
            List<FactoryView> factories) {
        return new EngineFacts(
                new EngineStatus(
                        phase,
                        since,
                        "",
                        minutesAgo(90),
                        Optional.of(new GcReport(gc, gc, false, 3, List.of(), List.of(), List.of())),
                        Optional.of(new ReconcileReport(sync, sync, 5, List.of(), List.of())),
                        List.of(),
                        Optional.empty()),
                pool,
                config(2, 5, Duration.ofSeconds(30)),
                PendingWork.empty(NOW),
                factories,
                Duration.ofMinutes(90),
                true);
    }

    static EngineConfig config(int minIdle, int maxIdle, Duration coolDown) {
        EngineConfig usual = EngineConfig.defaults();
        return new EngineConfig(
                new Watermarks(minIdle, maxIdle, usual.maxCapacity()),
                usual.families(),
                coolDown,
                usual.createTimeout(),
                new EngineConfig.Intervals(usual.gcInterval(), usual.poolCheckInterval(), usual.reconcileInterval()));
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
        return new PoolView(NOW, "eni-ip", "watermark", new Watermarks(2, 5, capacity), 0, waiting, entries);
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
    static HistoryFacts adds(long done, Map<String, Long> failures) {
        CallCount none = new CallCount(0, Map.of(), Optional.empty(), 0);
        return new HistoryFacts(List.of(new Sample(
                1,
                minutesAgo(2),
                0,
                Duration.ofSeconds(5),
                new PoolGauge(Map.of(), 10, 2, 5, 0),
                new CallCount(done, failures, Optional.empty(), 0),
                none,
                new CloudCount(Optional.empty(), Optional.empty(), List.of()),
                none,
                new GcCount(0, 0),
                new ProcessGauge(0, 0, 0, 0, 0, Duration.ZERO))));
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
                "eni-1", "", state, "vsw-a", 15, new EniAddresses("10.0.0.1", List.of()), queued, since);
    }

    static SweepFacts sweep(EniSweeper.Candidate... candidates) {
        return new SweepFacts(new EniSweeper.Report(NOW, Duration.ZERO, true, 3, List.of(candidates)));
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

    static ResourceDb.Contents contents() {
        return new ResourceDb.Contents(List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty());
    }

    static FileFacts rights(String socket) {
        return new FileFacts(List.of(new FileFacts.Mode(
                "socket",
                "/run/enipam.sock",
                PosixFilePermissions.fromString(socket),
                PosixFilePermissions.fromString("rw-rw----"),
                PosixFilePermissions.fromString("rw-------"))));
    }

    static VSwitchRoom room(String id, long available) {
        return new VSwitchRoom(id, "cn-hangzhou-i", "10.0.0.0/24", available, "");
    }

    static CallFacts calls(Optional<String> trouble, List<ApiQuotaStatus> budgets, List<CloudCall> calls) {
        return new CallFacts(budgets, calls, trouble, true);
    }

    static ApiQuotaStatus budget(int limit, int allowed, int used, Optional<Instant> inhibited, long throttles) {
        return new ApiQuotaStatus(
                "AssignPrivateIpAddresses",
                limit,
                allowed,
                used,
                allowed - used,
                NOW.plusSeconds(30),
                inhibited,
                used,
                throttles,
                Map.of(),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                List.of());
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

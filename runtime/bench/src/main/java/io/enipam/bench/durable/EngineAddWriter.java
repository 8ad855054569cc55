package io.enipam.bench.durable;

import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.daemon.warmup.PreallocatedFactory;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.LeaseEnds;
import io.enipam.store.StoreOptions;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.LeaseHistoryFiles;
import io.enipam.store.history.RecordFormat;
import io.enipam.store.history.RecordLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** ADD as the daemon does it, but for the wire, the cloud and the kernel: the pool, the lease, its row on the disk. */
public final class EngineAddWriter implements DurableWriter {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final ResourceDb db;
    private final NodeIpam engine;
    private final Optional<KeptHistory> history;

    /** @param addresses how many there are to lend */
    EngineAddWriter(Path directory, int addresses) throws Exception {
        this(directory, addresses, Optional.empty(), false);
    }

    /** With a ring of events. Ended leases, events and traces go to files, as a daemon's do, or not. */
    public EngineAddWriter(Path directory, int addresses, boolean kept) throws Exception {
        this(directory, addresses, Optional.of(new EventRing(new SystemTime(), Runnable::run)), kept);
    }

    private EngineAddWriter(Path directory, int addresses, Optional<EventRing> ring, boolean kept) throws Exception {
        history = kept ? Optional.of(KeptHistory.open(directory.resolve("history"))) : Optional.empty();
        db = JournaledResourceDb.open(
                directory.resolve("enipam"),
                StoreOptions.defaults(),
                Disk.local(),
                () -> history.<LeaseEnds>map(KeptHistory::leases).orElse(LeaseEnds.NONE));
        TraceRing traces = new TraceRing( // as a daemon does; -Denipam.bench.stories=0 shows what it costs
                new SystemTime(), new TraceBounds(Integer.getInteger("enipam.bench.stories", 2_000), 8 << 20));
        history.ifPresent(files -> files.follow(ring.orElseThrow(), traces));
        EventSink events = ring.<EventSink>map(to -> to).orElse((severity, type, subject, message, attributes) -> {});
        engine = new NodeIpam(
                new EngineConfig(
                        new Watermarks(0, addresses, addresses),
                        Set.of(Family.IPV4),
                        Duration.ZERO,
                        PATIENCE,
                        new EngineConfig.Intervals(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1))),
                new EnginePorts(
                        new EngineContext(new SystemTime(), scheduler, new SplittableRandom(1), db, events, traces),
                        new BenchPods(),
                        new NoOpDatapath(),
                        FactorySet.of(new NamedFactory("bench", new PreallocatedFactory(addresses))),
                        new DirectPolicy(new WatermarkPolicy(), events)));
        engine.start().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public String name() {
        return "enipam ADD";
    }

    NodeIpam engine() {
        return engine;
    }

    ResourceDb db() {
        return db;
    }

    /** The bytes of one lease's record, as it is on the disk. */
    byte[] sampleRecord() throws Exception {
        put(0, 0);
        String json = db.records().stream()
                .filter(record -> record.bucket().equals("leases"))
                .findFirst()
                .orElseThrow()
                .json();
        clear(0, 0);
        return json.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void put(int caller, int index) throws Exception {
        String key = key(caller, index);
        engine.add(new AddCommand(owner(key), new PodRef("bench", key), PATIENCE))
                .get();
    }

    @Override
    public void clear(int caller, int index) throws Exception {
        engine.del(owner(key(caller, index))).get();
    }

    static String key(int caller, int index) {
        return "pod-" + caller + "-" + index;
    }

    private static OwnerKey owner(String key) {
        return new OwnerKey("enipam", key, "eth0");
    }

    @Override
    public void close() {
        engine.close();
        db.close();
        history.ifPresent(KeptHistory::close);
        scheduler.close();
    }

    /** What a daemon keeps in files. */
    private record KeptHistory(
            LeaseHistoryFiles leases,
            RecordLog<Event> events,
            RecordLog<TraceSnapshot> traces,
            ScheduledExecutorService thread) {
        private static final HistoryLimits LIMITS = new HistoryLimits(Duration.ofDays(30), 64L << 20);

        static KeptHistory open(Path directory) throws IOException {
            ScheduledExecutorService thread =
                    Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("records"));
            return new KeptHistory(
                    LeaseHistoryFiles.open(directory, () -> LIMITS, Clock.systemUTC(), Disk.local()),
                    log(directory, Past.EVENTS, 4096, thread),
                    log(directory, Past.TRACES, 512, thread),
                    thread);
        }

        private static <T> RecordLog<T> log(
                Path directory, RecordFormat<T> format, int full, ScheduledExecutorService thread) throws IOException {
            Path files = Files.createDirectories(directory.resolve(format.name()));
            return RecordLog.open(files, format, full, () -> LIMITS, Clock.systemUTC(), Disk.local(), thread);
        }

        void follow(EventRing ring, TraceRing stories) {
            Event first = new Event(0, Instant.now(), Event.Severity.INFO, "DaemonStarted", "daemon", "", Map.of());
            ring.goOn("bench", List.of(), 0, first, event -> events.add(() -> event));
            stories.keepIn(trace -> traces.add(trace::story));
        }

        void close() {
            leases.close();
            events.close();
            traces.close();
            thread.shutdownNow();
        }
    }

    /** Every pod exists, and has a UID as long as real ones are. */
    private static final class BenchPods implements PodDirectory {
        private static final String UID = "746930e7-44f5-438a-be78-351fb8eb0a81";

        @Override
        public CompletionStage<Optional<Pod>> find(PodRef pod) {
            return CompletableFuture.completedStage(Optional.of(new Pod(pod, UID, false, Duration.ZERO)));
        }

        @Override
        public CompletionStage<List<Pod>> list() {
            return CompletableFuture.completedStage(List.of());
        }
    }
}

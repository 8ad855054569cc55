package io.enipam.bench.durable;

import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.store.JournaledResourceDb;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** ADD as the daemon does it, but for the wire, the cloud and the kernel: the pool, the lease, its row on the disk. */
final class EngineAddWriter implements DurableWriter {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final ResourceDb db;
    private final NodeIpam engine;

    /** @param addresses how many there are to lend */
    EngineAddWriter(Path directory, int addresses) throws Exception {
        db = JournaledResourceDb.open(directory.resolve("enipam"));
        EventSink nobody = (severity, type, subject, message, attributes) -> {};
        engine = new NodeIpam(
                new EngineConfig(
                        new Watermarks(0, addresses, addresses),
                        Set.of(Family.IPV4),
                        Duration.ZERO,
                        PATIENCE,
                        new EngineConfig.Intervals(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1))),
                new EnginePorts(
                        new EngineContext(
                                new SystemTime(),
                                scheduler,
                                new SplittableRandom(1),
                                db,
                                nobody, // as a daemon does; -Denipam.bench.stories=0 shows what it costs
                                new TraceRing(
                                        new SystemTime(),
                                        new TraceBounds(Integer.getInteger("enipam.bench.stories", 2_000), 8 << 20))),
                        new BenchPods(),
                        new NoOpDatapath(),
                        FactorySet.of(new NamedFactory("bench", new PreallocatedFactory(addresses))),
                        new DirectPolicy(new WatermarkPolicy(), nobody),
                        new CompletableFuture<>()));
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
        scheduler.close();
    }
}

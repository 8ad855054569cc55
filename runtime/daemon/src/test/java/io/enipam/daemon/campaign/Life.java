package io.enipam.daemon.campaign;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.eni.CloudFactory;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PodDirectory;
import io.enipam.node.kernel.SimulatedDatapath;
import io.enipam.sdk.FactoryException;
import io.enipam.store.DbCloudJournal;
import io.enipam.store.JournaledResourceDb;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One life of a node's daemon, from its start to its crash or its end. Whoever waits for an answer when it dies hears so. */
final class Life {
    /** The process died while somebody waited for its answer. */
    static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Died() {
            super("the daemon died", null, false, false);
        }
    }

    private static final int TRIES = 200;

    final int number;
    final HastyTime time;
    final NodeIpam engine;
    private final AliyunCloud cloud;
    private final MortalDb db;
    private final CompletableFuture<Object> death = new CompletableFuture<>();

    private Life(int number, HastyTime time, MortalDb db, AliyunCloud cloud, NodeIpam engine) {
        this.number = number;
        this.time = time;
        this.db = db;
        this.cloud = cloud;
        this.engine = engine;
    }

    /** Begins a life on what former ones have left on disk and at the cloud; it recovers by itself. */
    static Life begin(
            int number,
            HastyTime time,
            Path directory,
            AliyunConfig config,
            EngineConfig knobs,
            PodDirectory pods,
            EventSink events,
            long seed) {
        MortalDb db = new MortalDb(JournaledResourceDb.open(directory.resolve("db")));
        AliyunCloud cloud = open(config, time, events, new DbCloudJournal(() -> db), seed);
        NodeIpam engine = new NodeIpam(
                knobs,
                new EnginePorts(
                        new EngineContext(time, time, new SplittableRandom(seed), db, events),
                        pods,
                        new SimulatedDatapath(directory.resolve("kernel")),
                        FactorySet.of(new NamedFactory("eni-ip", cloud.factory(EniUse.ADDRESSES))),
                        new DirectPolicy(new WatermarkPolicy(), events)));
        return new Life(number, time, db, cloud, engine);
    }

    /** The cloud may well refuse the first calls of a start: as the daemon does, this tries again. */
    private static AliyunCloud open(
            AliyunConfig config, HastyTime time, EventSink events, CloudJournal journal, long seed) {
        ApiCallLog book =
                new ApiCallLog(time, new SplittableRandom(seed), config.calls().perMinute());
        FactoryException last = null;
        for (int i = 0; i < TRIES; i++) {
            try {
                return AliyunCloud.open(config, book, time, time, events, journal, time::pause);
            } catch (FactoryException refused) {
                last = refused;
                pause(20);
            }
        }
        throw new AssertionError("the cloud did not open in " + TRIES + " tries", last);
    }

    static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Fails with {@link Died} if the process dies first. */
    CompletableFuture<AddOutcome> add(AddCommand command) {
        return mortal(engine.add(command));
    }

    /** Fails with {@link Died} if the process dies first. */
    CompletableFuture<DelOutcome> del(OwnerKey owner) {
        return mortal(engine.del(owner));
    }

    private <T> CompletableFuture<T> mortal(CompletableFuture<T> answer) {
        CompletableFuture<T> heard = new CompletableFuture<>();
        answer.whenComplete((value, failure) -> {
            if (failure == null) {
                heard.complete(value);
            } else {
                heard.completeExceptionally(failure);
            }
        });
        death.whenComplete((never, died) -> heard.completeExceptionally(died));
        return heard;
    }

    /** The ENIs that the node knows. */
    List<EniDirectory.Eni> enis() {
        return ((CloudFactory) cloud.factory(EniUse.ADDRESSES)).enis();
    }

    /** Operations of the cloud that are begun and not known to be over. */
    List<CloudJournal.Entry> openOperations() {
        return db.contents().operations();
    }

    /** kill -9: what is on its way to disk or cloud may get there, but nobody hears of it. */
    void crash() {
        time.close();
        db.die();
        death.completeExceptionally(new Died());
        cloud.close();
    }

    /** A proper end. */
    void end() {
        engine.close();
        cloud.close();
        db.close();
        time.close();
    }
}

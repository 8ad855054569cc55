package io.enipam.daemon.testing;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.config.DaemonConfig;
import io.enipam.daemon.DaemonEnvironment;
import io.enipam.daemon.EngineAssembly;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ForwardingDb;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudSession;
import io.enipam.platform.testing.EmptyFactory;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.Resource;
import io.enipam.store.LeaseEnds;
import io.enipam.store.StoreException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A database, a cloud and an emulator in memory, which write down in which order they were closed. */
public class FakeSurroundings implements DaemonEnvironment {
    public final List<String> closed = new CopyOnWriteArrayList<>();
    public final FakeDb db = new FakeDb();
    public volatile boolean cloudAnswers = true;
    public volatile boolean emulatorStarts = true;
    public volatile boolean dbOpens = true;
    /** What the cloud has. */
    public volatile List<Resource> listed = List.of();

    /** A fake engine that recovers from whatever cloud it is given. */
    public static EngineAssembly assembly() {
        return new EngineAssembly(
                (config, ports) -> new FakeEngine(10)
                        .recoveringFrom(ports.supplies().active().factory()),
                () -> new PoolPolicy() {
                    @Override
                    public String name() {
                        return "fake";
                    }
                });
    }

    @Override
    public ResourceDb openDb(Path directory, LatencyHistogram forces, Supplier<LeaseEnds> ends) {
        if (!dbOpens) {
            throw new StoreException("the journal is damaged", "restore a backup");
        }
        return new ForwardingDb(db) {
            @Override
            public void close() {
                closed.add("db");
            }
        };
    }

    @Override
    public CloudSession openCloud(
            AliyunConfig config,
            ApiCallLog calls,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        if (!cloudAnswers) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, "metadata is silent");
        }
        EmptyFactory factory = new EmptyFactory(3) {
            @Override
            public CompletionStage<List<Resource>> list() {
                return CompletableFuture.completedStage(listed);
            }
        };
        return new CloudSession("i-1", factory, List::of, new FakeSweeper(), () -> closed.add("cloud"));
    }

    @Override
    public CloudEmulation startEmulator(DaemonConfig config, Path stateFile) {
        if (!emulatorStarts) {
            throw new IllegalStateException("no port is free");
        }
        return emulation(config, stateFile, () -> closed.add("emulator"));
    }

    /** An emulator that nobody serves. */
    static CloudEmulation emulation(DaemonConfig config, Path stateFile, Runnable close) {
        URI here = URI.create("http://127.0.0.1:1");
        AliyunConfig client = config.cloud(config.emulator(stateFile, "s"), here, here);
        return new CloudEmulation() {
            @Override
            public AliyunConfig client() {
                return client;
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }
}

package io.enipam.daemon.testing;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.CallBook;
import io.enipam.daemon.Surroundings;
import io.enipam.daemon.cloud.CloudEmulation;
import io.enipam.daemon.cloud.CloudSession;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The emulated surroundings, with a door to the daemon's database for a test that writes behind the engine's back. */
public final class OpenedDb implements Surroundings {
    private final Surroundings surroundings = new EmulatedSurroundings();
    private final AtomicReference<ResourceDb> db = new AtomicReference<>();

    public ResourceDb.Contents contents() {
        return db.get().contents();
    }

    public void commit(Change... changes) {
        db.get().commit(List.of(changes)).toCompletableFuture().join();
    }

    @Override
    public ResourceDb openDb(Path directory) {
        ResourceDb opened = surroundings.openDb(directory);
        db.set(opened);
        return opened;
    }

    @Override
    public CloudSession openCloud(
            AliyunConfig config,
            CallBook calls,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        return surroundings.openCloud(config, calls, time, scheduler, events, journal);
    }

    @Override
    public CloudEmulation startEmulator(DaemonConfig config, Path stateFile) {
        return surroundings.startEmulator(config, stateFile);
    }
}

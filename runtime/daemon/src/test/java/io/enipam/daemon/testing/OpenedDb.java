package io.enipam.daemon.testing;

import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.LeaseEnds;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The emulated surroundings, with a door to the daemon's database for a test that writes behind the engine's back. */
public final class OpenedDb extends EmulatedSurroundings {
    private final AtomicReference<ResourceDb> db = new AtomicReference<>();

    public ResourceDb.Contents contents() {
        return db.get().contents();
    }

    public void commit(Change... changes) {
        db.get().commit(List.of(changes)).toCompletableFuture().join();
    }

    @Override
    public ResourceDb openDb(Path directory, LatencyHistogram forces, Supplier<LeaseEnds> ends) {
        ResourceDb opened = super.openDb(directory, forces, ends);
        db.set(opened);
        return opened;
    }
}

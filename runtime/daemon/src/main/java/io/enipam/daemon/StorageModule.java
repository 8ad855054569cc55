package io.enipam.daemon;

import io.enipam.engine.port.ResourceDb;
import io.enipam.observability.history.MeteredDb;
import io.enipam.observability.history.Meters;
import java.util.concurrent.CompletableFuture;

/** The database, which opens on a thread of its own while the rest of the daemon starts. */
final class StorageModule {
    final CompletableFuture<ResourceDb> opening;
    private final CompletableFuture<ResourceDb> metered;

    StorageModule(BaseModule base, DaemonEnvironment surroundings, Meters meters) {
        opening = CompletableFuture.supplyAsync(
                () -> {
                    surroundings.finishRestore(base.layout.database()).ifPresent(base.announcements::restored);
                    return surroundings.openDb(base.layout.database(), meters.forces());
                },
                base.blocking);
        metered = opening.thenApply(db -> new MeteredDb(db, meters));
        // closed after the factories and before the emulator, whenever it has opened
        base.opened.push("database", () -> BaseModule.whenOpened(opening, ResourceDb::close));
    }

    /** The database with counted commits; waits until it is open. */
    ResourceDb db() {
        return BaseModule.join(metered);
    }

    /** Its contents when it was opened, or now; waits until it is open. */
    ResourceDb.Contents contents() {
        return BaseModule.join(opening).contents();
    }
}

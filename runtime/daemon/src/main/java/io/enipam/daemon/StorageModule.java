package io.enipam.daemon;

import com.google.common.base.Suppliers;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.ResourceDb;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.observability.history.MeteredDb;
import io.enipam.observability.history.Meters;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Journal;
import io.enipam.store.DatabaseTools;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.OfflineTools;
import io.enipam.store.tables.PluginTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The database, which opens on a thread of its own while the rest of the daemon starts. */
final class StorageModule {
    private final CompletableFuture<ResourceDb> opening;
    private final CompletableFuture<ResourceDb> metered;
    private final Supplier<PluginTables> tables = Suppliers.memoize(() -> new PluginTables(db()));

    StorageModule(BaseModule base, DaemonEnvironment surroundings, Meters meters) {
        opening = CompletableFuture.supplyAsync(
                () -> {
                    Path directory = base.layout.database();
                    OfflineTools.of(directory).finishRestore().ifPresent(base.announcements::restored);
                    return surroundings.openDb(directory, meters.forces());
                },
                base.blocking);
        metered = opening.thenApply(db -> new MeteredDb(db, meters));
        // closed after the factories and before the emulator, whenever it has opened
        base.opened.push("database", () -> BaseModule.whenOpened(opening, ResourceDb::close));
    }

    /**
     * What the services ask of it; waits until it is open.
     *
     * @param restart closes this daemon so that another one continues in its place
     */
    DatabaseService service(BaseModule base, IpamEngine engine, DaemonInfo info, Runnable restart) throws IOException {
        return base.opened.push(
                "database tools",
                new DatabaseService(
                        tools(),
                        db(),
                        engine,
                        base.time,
                        info.node(),
                        base.layout.prepareReceived(),
                        base.layout.run(),
                        restart));
    }

    /** Its maintenance operations, if it has files; waits until it is open. */
    private Optional<DatabaseTools> tools() {
        return BaseModule.join(opening) instanceof JournaledResourceDb db ? Optional.of(db.tools()) : Optional.empty();
    }

    /** The database with counted commits; waits until it is open. */
    ResourceDb db() {
        return BaseModule.join(metered);
    }

    /** The tables of a plugin in it, which calls back on the thread; waits until it is open. */
    Journal journal(String plugin, Executor thread) {
        return tables.get().of(plugin, thread);
    }

    /** Its contents when it was opened, or now; waits until it is open. */
    ResourceDb.Contents contents() {
        return BaseModule.join(opening).contents();
    }
}

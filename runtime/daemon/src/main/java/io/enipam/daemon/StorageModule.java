package io.enipam.daemon;

import com.google.common.base.Suppliers;
import io.enipam.config.Schema;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.observability.history.MeteredDb;
import io.enipam.observability.history.Meters;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Role;
import io.enipam.store.DatabaseTools;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.LeaseEnds;
import io.enipam.store.OfflineTools;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.LeaseHistoryFiles;
import io.enipam.store.tables.PluginTables;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The database, which opens on a thread of its own while the rest of the daemon starts. */
final class StorageModule {
    private final CompletableFuture<Optional<LeaseHistoryFiles>> history;
    private final CompletableFuture<ResourceDb> opening;
    private final CompletableFuture<ResourceDb> metered;
    private final Supplier<PluginTables> tables = Suppliers.memoize(() -> new PluginTables(db()));

    StorageModule(BaseModule base, DaemonEnvironment surroundings, Meters meters) {
        history = CompletableFuture.supplyAsync(() -> openHistory(base), base.blocking);
        base.opened.push(
                "history of leases",
                () -> BaseModule.whenOpened(history, opened -> opened.ifPresent(LeaseHistoryFiles::close)));
        opening = CompletableFuture.supplyAsync(
                () -> {
                    Path directory = base.layout.database();
                    OfflineTools.of(directory).finishRestore().ifPresent(base.announcements::restored);
                    return surroundings.openDb(
                            directory,
                            meters.forces(),
                            () -> BaseModule.join(history)
                                    .<LeaseEnds>map(files -> files)
                                    .orElse(LeaseEnds.NONE));
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

    /** Only a node has leases. */
    private static Optional<LeaseHistoryFiles> openHistory(BaseModule base) {
        if (base.config.role() != Role.NODE) {
            return Optional.empty();
        }
        HistoryLimits limits = new HistoryLimits(
                base.config.get(Schema.HISTORY_KEEP), (long) base.config.get(Schema.HISTORY_SIZE) << 20);
        return Optional.of(LeaseHistoryFiles.open(
                RecordsModule.directory(base, ""), () -> limits, Clock.systemUTC(), Disk.local()));
    }

    /** Who had which address; waits until it is open. */
    LeaseHistory leaseHistory() {
        return BaseModule.join(history).<LeaseHistory>map(files -> files).orElse(LeaseHistory.NONE);
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

package io.enipam.store;

import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.store.DatabaseTools.FinishedRestore;
import io.enipam.store.DatabaseTools.NodeName;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.store.StoreDirectory.DirectoryLock;
import io.enipam.store.StoreException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What is done to a database that is not open. Its caller is the one process that may open it. */
public final class OfflineTools {
    private final Path directory;
    private final StoreOptions options;
    private final Disk disk;

    OfflineTools(Path directory, StoreOptions options, Disk disk) {
        this.directory = directory;
        this.options = options;
        this.disk = disk;
    }

    public static OfflineTools of(Path directory) {
        return new OfflineTools(directory, StoreOptions.defaults(), new LocalDisk());
    }

    /** Puts a staged restore in the place of the database, before it is opened; throws if that cannot be opened. */
    public Optional<FinishedRestore> finishRestore() {
        return new StagedRestore(disk, directory, options).finish();
    }

    /** Reads every file and every record; throws StoreException if there is no database, or another process has it open. */
    public Verification verify() {
        if (!Files.isDirectory(directory)) {
            throw new StoreException("there is no database in " + directory, "name the --root of the daemon");
        }
        try (DirectoryLock lock = DirectoryLock.take(new StoreDirectory(directory), true)) {
            FileVerification.Found found = new FileVerification(disk, new StoreDirectory(directory)).verify();
            return DatabaseTools.verification(
                    found,
                    found.replayed().orElse(StoreSnapshot.EMPTY),
                    options.clock().instant());
        } catch (IOException e) {
            throw new StoreException("cannot read " + directory + ": " + e.getMessage(), "check the disk", e);
        }
    }

    /**
     * Stages a backup or an export as {@link DatabaseTools#restore} does; {@link #finishRestore} takes
     * it. A database that is damaged is restored over if all of its leases may be lost. Whose
     * database it is, it says itself, unless the request does.
     *
     * @throws DatabaseFileException if the file is refused; then nothing was changed
     * @throws StoreException if the present database cannot be opened, and may not be given up
     */
    public RestorePlan restore(RestoreRequest request) {
        try (JournaledResourceDb db = JournaledResourceDb.open(directory, options, disk)) {
            return db.tools().restore(request.by(nodeOf(db, request.node())));
        } catch (StoreException e) {
            if (e.reason() != Reason.DAMAGED || !request.mayLoseAny()) {
                throw e;
            }
            return DatabaseTools.restore(disk, new StoreDirectory(directory), options, request, Optional.empty());
        }
    }

    private static NodeName nodeOf(JournaledResourceDb db, NodeName asking) {
        Optional<String> recorded =
                db.contents().node().flatMap(NodeRecord::identity).map(NodeIdentity::instanceId);
        return new NodeName(asking.node(), asking.instance().isEmpty() ? recorded.orElse("") : asking.instance());
    }
}

package io.enipam.store;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.journal.Disk;
import io.enipam.store.journal.Journal;
import io.enipam.store.journal.LocalDisk;
import io.enipam.store.record.Bucket;
import io.enipam.store.record.Edit;
import io.enipam.store.record.GroupCodec;
import io.enipam.store.record.RecordCodec;
import io.enipam.store.view.Checkpoint;
import io.enipam.store.view.LiveView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The resource database of a directory.
 *
 * <p><b>A commit.</b> Callers put their edits into a queue and get a stage. One writer thread takes all that has gathered,
 * writes it as one frame, forces the journal once, applies it to the live view, and only then completes the stages, on a
 * second thread, so that a slow caller cannot hold up the next force. Commits take effect in the order of the calls.
 *
 * <p><b>A failure.</b> A group whose write or force failed is not applied, and its callers are told. The journal then begins
 * a new file, so that the database works again as soon as the disk does.
 *
 * <p><b>A checkpoint.</b> When the journal begins a new file, a copy of the live view is written in the background. The last
 * two are kept, and the journal since the older one: so one damaged checkpoint costs nothing.
 *
 * <p><b>A start.</b> The newest checkpoint that is whole, then the journal after it. What a crash tore off at the journal's
 * end was never acknowledged and is wiped; any other gap or damage refuses the start and names file and offset.
 */
public final class JournaledResourceDb implements ResourceDb {
    private static final long FILE_SIZE = 4 << 20;

    private final DirectoryLock lock;
    private final RecordCodec codec = new RecordCodec();
    private final LiveView live = new LiveView();
    private final Writer writer;

    private JournaledResourceDb(Path directory, Disk disk, long fileSize) throws IOException {
        lock = DirectoryLock.acquire(directory);
        try {
            deleteTemporaries(disk, directory);
            Checkpoint checkpoint = Checkpoint.newest(disk, directory);
            List<Edit> known = new ArrayList<>();
            checkpoint.records().forEach((key, value) -> known.add(new Edit(key, value)));
            live.apply(known);
            Journal journal = Journal.open(
                    disk,
                    directory,
                    fileSize,
                    checkpoint.generation(),
                    frame -> live.apply(GroupCodec.decode(frame.payload())));
            contents(); // a record of a later version, or one that cannot be read, refuses the start
            writer = new Writer(disk, directory, journal, live);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /**
     * Opens or creates the database.
     *
     * @throws StoreException if the directory cannot be used, is locked by another process, or is damaged; the message says
     *     what and where, the hint what to do
     */
    public static ResourceDb open(Path directory) {
        return open(directory, new LocalDisk(), FILE_SIZE);
    }

    /** Opens it on a disk of the caller's, with journal files of another size. */
    static JournaledResourceDb open(Path directory, Disk disk, long fileSize) {
        try {
            createDirectory(directory);
            return new JournaledResourceDb(directory, disk, fileSize);
        } catch (IOException | UncheckedIOException e) {
            throw new StoreException(
                    "the database in " + directory + " cannot be opened: " + e,
                    "check that the directory exists, that this user may write it, and that the disk is not full",
                    e);
        }
    }

    private static void createDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Files.createDirectories(directory);
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private static void deleteTemporaries(Disk disk, Path directory) throws IOException {
        for (String name : disk.list(directory)) {
            if (name.endsWith(".tmp")) {
                disk.delete(directory.resolve(name));
            }
        }
    }

    @Override
    public Contents contents() {
        List<io.enipam.engine.model.Lease> leases = new ArrayList<>();
        List<io.enipam.engine.model.Hold> holds = new ArrayList<>();
        List<io.enipam.engine.port.Intent> intents = new ArrayList<>();
        live.copy().forEach((key, value) -> {
            switch (Bucket.of(key)) {
                case LEASES -> leases.add(codec.lease(value));
                case HOLDS -> holds.add(codec.hold(value));
                case INTENTS -> intents.add(codec.intent(value));
            }
        });
        return new Contents(leases, holds, intents);
    }

    @Override
    public List<RawRecord> records() {
        List<RawRecord> records = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : live.copy().entrySet()) {
            String bucket = Bucket.of(entry.getKey()).text();
            records.add(new RawRecord(
                    bucket,
                    entry.getKey().substring(bucket.length() + 1),
                    new String(entry.getValue(), StandardCharsets.UTF_8)));
        }
        return records;
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        writer.submit(new Commit(changes.stream().map(codec::edit).toList(), done));
        return done;
    }

    @Override
    public void close() {
        writer.close();
        live.close();
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

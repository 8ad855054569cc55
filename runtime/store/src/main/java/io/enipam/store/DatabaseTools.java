package io.enipam.store;

import io.enipam.engine.model.Lease;
import io.enipam.engine.port.ResourceDb;
import io.enipam.store.BackupFile.DatabaseFileLines;
import io.enipam.store.DatabaseFileReader.DatabaseFile;
import io.enipam.store.RestoreMerge.RestoreComparison;
import io.enipam.store.StagedRestore.RestoreManifest;
import io.enipam.store.Verification.Check;
import io.enipam.store.Verification.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tools of one open database. What reads or writes its files runs on the thread that keeps the checkpoints, and
 * blocks the caller meanwhile. None holds up a commit for longer than a walk over the records in memory takes.
 * Thread-safe.
 */
public final class DatabaseTools {
    /** What follows on the database's name in the names of the directories beside it that are kept for it. */
    private static final Pattern KEPT =
            Pattern.compile("\\.(staged.*|before-restore-.*|damaged-.*|rebuilt|rebuilding)");

    private final Disk disk;
    private final StoreDirectory directory;
    private final StoreOptions options;
    private final LiveView view;
    private final Checkpointer keeper;

    DatabaseTools(Disk disk, StoreDirectory directory, StoreOptions options, LiveView view, Checkpointer keeper) {
        this.disk = disk;
        this.directory = directory;
        this.options = options;
        this.view = view;
        this.keeper = keeper;
    }

    /** All records of one moment, those that are about the database itself included, ordered by bucket and key. */
    public List<ResourceDb.RawRecord> records() {
        return view.snapshot().raw();
    }

    /**
     * Reads every file of the database and compares what it says with what is in memory. Changes nothing. Files that
     * grow, roll over or are removed meanwhile are no problem and are never reported as one.
     */
    public Verification verify() {
        return keeper.alone(() -> {
            StoreSnapshot live = view.snapshot();
            FileVerification.Found found = new FileVerification(disk, directory).verify(live, view::generation);
            return verification(found, live, options.clock().instant());
        });
    }

    /** What was found in the files and in the records, as a table of checks. */
    static Verification verification(FileVerification.Found files, StoreSnapshot records, Instant now) {
        List<RecordRules.Problem> wrong = RecordRules.problems(records, now);
        List<Problem> problems = new ArrayList<>(files.problems());
        wrong.forEach(problem ->
                problems.add(new Problem("records", problem.where(), OptionalLong.empty(), problem.message())));
        return new Verification(
                files.last(),
                List.of(
                        new Check("checkpoints", files.checkpoints(), "files"),
                        new Check("journal", files.frames(), "commits"),
                        new Check("replay", files.replayed().orElse(records).count(), "records"),
                        new Check("records", records.count(), "records")),
                problems);
    }

    /**
     * Saves the records of one moment between two commits.
     *
     * @param file absolute; it has this name once all of it is durable, and mode 0600
     * @param replace whether a file that is there may be replaced
     * @throws DatabaseFileException if the file cannot be written; then nothing was changed
     */
    public Backup backup(Path file, NodeName node, boolean replace) {
        if (file.isAbsolute()) {
            Path target = Optional.ofNullable(file.normalize().getParent()).orElse(file);
            refuseReserved(target, directory, "cannot write " + file, "name a file elsewhere, best on another disk");
        }
        StoreSnapshot snapshot = view.snapshot();
        FileHeader header = new FileHeader(
                FileHeader.Kind.BACKUP,
                node,
                Optional.of(new FileHeader.Moment(options.clock().instant(), snapshot.generation())));
        return BackupFile.write(file, header, snapshot, replace);
    }

    /**
     * The records of one moment as an export: JSON lines, each with its line end. The same records give the same bytes.
     *
     * @return made as it is read; used by one thread at a time
     */
    public Iterator<byte[]> export(NodeName node) {
        return new DatabaseFileLines(new FileHeader(FileHeader.Kind.EXPORT, node, Optional.empty()), view.snapshot());
    }

    /**
     * Reads a backup or an export, and says what it would change. With consent, and unless it is a dry run, the records
     * are then staged: the next time the database is opened they take the place of the present ones.
     *
     * @throws DatabaseFileException if the file cannot be used, or leases would be lost that the request does not give
     *     up; then nothing was changed
     */
    public RestorePlan restore(RestoreRequest request) {
        return restore(disk, directory, options, request, Optional.of(view.snapshot()));
    }

    /** @param present the present records; empty if the database is damaged: then nothing of it counts */
    static RestorePlan restore(
            Disk disk,
            StoreDirectory directory,
            StoreOptions options,
            RestoreRequest request,
            Optional<StoreSnapshot> present) {
        refuseReserved(
                request.file(), directory, request.shown() + " cannot be taken", DatabaseFileReader.ANOTHER_FILE);
        Instant now = options.clock().instant();
        DatabaseFile file = DatabaseFileReader.read(request.file(), request.shown(), now);
        StoreSnapshot before = present.orElse(StoreSnapshot.EMPTY);
        RestorePlan plan = plan(request, file, before);
        if (request.dryRun()) {
            return plan;
        }
        requireConsent(request, plan);
        RestoreManifest note = new RestoreManifest(
                RestoreManifest.VERSION,
                request.shown(),
                now.toString(),
                plan.lost().stream()
                        .map(lost -> lost.lease().owner().toString())
                        .toList(),
                List.copyOf(before.byKey(Bucket.LEASES).keySet()),
                present.isEmpty());
        try {
            new StagedRestore(disk, directory.path(), options).stage(file.snapshot(), before, note);
            return plan;
        } catch (IOException | StoreException e) {
            throw DatabaseFileException.failed(
                    "cannot prepare the restore beside " + directory.path() + ": " + e.getMessage(),
                    "nothing was changed; make room on that disk and try again",
                    e);
        }
    }

    static RestorePlan plan(RestoreRequest request, DatabaseFile file, StoreSnapshot present) {
        RestoreComparison leases = new RestoreComparison(present, file.snapshot());
        int leftOut = 0;
        for (Bucket bucket : List.of(Bucket.INTENTS, Bucket.OPERATIONS)) {
            Set<String> coming = new HashSet<>(file.snapshot().byKey(bucket).keySet());
            coming.removeAll(present.byKey(bucket).keySet());
            leftOut += coming.size();
        }
        return new RestorePlan(
                file.header(),
                file.snapshot().count(),
                leases.kept(),
                leases.lost(),
                leases.returning(),
                leftOut,
                file.header().node().differsFrom(request.node()));
    }

    private static void requireConsent(RestoreRequest request, RestorePlan plan) {
        if (plan.otherNode() && !request.otherNode()) {
            throw DatabaseFileException.notAgreed(
                    request.shown() + " holds the records of node "
                            + plan.header().node() + ", this is " + request.node(),
                    "its addresses are another machine's; if this machine took its place, add --other-node");
        }
        List<RestorePlan.Lost> refused = plan.lost().stream()
                .filter(lost -> !request.mayLoseAny()
                        && !request.mayLose().contains(lost.lease().owner().toString()))
                .toList();
        if (!refused.isEmpty()) {
            RestorePlan.Lost first = refused.get(0);
            throw DatabaseFileException.notAgreed(
                    refused.size() + (refused.size() == 1 ? " lease in force" : " leases in force")
                            + " would be lost: " + first.lease().pod() + " (" + first.why() + ")"
                            + (refused.size() == 1 ? "" : ", ..."),
                    "--dry-run shows all of them; to give them up, add --yes");
        }
    }

    /**
     * Refuses a path among the database's files and what is kept beside them: to open and to close a file that is locked
     * drops the lock of the whole process. Paths are compared as the kernel resolves them, for a symbolic link has many
     * names for one place.
     */
    private static void refuseReserved(Path path, StoreDirectory store, String message, String hint) {
        Path directory = store.path().toAbsolutePath().normalize();
        try {
            Path real = path.toRealPath();
            if (Files.exists(directory) && real.startsWith(directory.toRealPath())) {
                throw DatabaseFileException.refused(message + ": it is in the directory of the database itself", hint);
            }
            Path parent = Optional.ofNullable(directory.getParent()).orElseThrow();
            Path realParent = parent.toRealPath();
            if (real.startsWith(realParent) && !real.equals(realParent)) {
                Path first = realParent.resolve(real.getName(realParent.getNameCount()));
                String kept = first.getFileName().toString();
                String own = directory.getFileName().toString();
                if (Files.isDirectory(first)
                        && kept.startsWith(own)
                        && KEPT.matcher(kept.substring(own.length())).matches()) {
                    throw DatabaseFileException.refused(
                            message + ": it is in " + parent.resolve(kept) + ", which is kept for the database", hint);
                }
            }
        } catch (IOException e) {
            // it is not there, which its opening reports
        }
    }

    /** Writes a checkpoint now, and removes the journal files that it makes unnecessary. */
    public Compaction compact() {
        return keeper.alone(() -> {
            Compaction.Size before = size();
            StoreSnapshot snapshot = view.snapshot();
            keeper.compact(snapshot);
            return new Compaction(snapshot.generation(), snapshot.count(), before, size());
        });
    }

    private Compaction.Size size() throws IOException {
        int files = 0;
        long bytes = 0;
        for (String name : disk.list(directory.path())) {
            try {
                bytes += Files.size(directory.path().resolve(name));
                files++;
            } catch (NoSuchFileException e) {
                // it got its final name meanwhile
            }
        }
        return new Compaction.Size(files, bytes);
    }

    /**
     * Whose records a file holds.
     *
     * @param node the node's name, as the daemon knows it; empty text if it is not known
     * @param instance the cloud's id of the machine; empty text until a cloud has reported it
     */
    public record NodeName(String node, String instance) {
        /** Whether both are known to be another machine: by the cloud's ids if both have one, else by their names. */
        public boolean differsFrom(NodeName other) {
            if (!instance.isEmpty() && !other.instance.isEmpty()) {
                return !instance.equals(other.instance);
            }
            return !node.isEmpty() && !other.node.isEmpty() && !node.equals(other.node);
        }

        @Override
        public String toString() {
            return instance.isEmpty() ? node : node + " (" + instance + ")";
        }
    }

    /**
     * What a file says of itself in its first line.
     *
     * @param snapshot when a backup was taken, and of which commit; empty of an export, whose bytes depend on the
     *     records alone
     */
    public record FileHeader(Kind kind, NodeName node, Optional<Moment> snapshot) {
        /** What a file was made by. */
        public enum Kind {
            BACKUP,
            EXPORT
        }

        /** A moment between two commits by the clock of the node; the generation is that of the last one. */
        public record Moment(Instant taken, long generation) {}
    }

    /**
     * @param records in all buckets
     * @param bytes length of the file
     * @param sha256 of all lines but the last, in hexadecimal; it stands in the last line, too
     * @param replaced whether there was a file of that name before
     */
    public record Backup(Path file, FileHeader header, long records, long bytes, String sha256, boolean replaced) {}

    /** @param generation the last commit in the newest checkpoint, which has so many records */
    public record Compaction(long generation, long records, Size before, Size after) {
        /** How many files, and how many bytes they take together. */
        public record Size(int files, long bytes) {}
    }

    /**
     * What is to be restored, and what may be given up for it.
     *
     * @param file a backup or an export
     * @param shown what the file is called in messages
     * @param mayLose the owners whose leases may be lost
     * @param mayLoseAny whether all leases that the file does not have may be lost; those made after this call are kept
     *     all the same
     * @param otherNode whether the file may be another node's
     */
    public record RestoreRequest(
            Path file,
            String shown,
            NodeName node,
            boolean dryRun,
            Set<String> mayLose,
            boolean mayLoseAny,
            boolean otherNode) {
        public RestoreRequest {
            mayLose = Set.copyOf(mayLose);
        }

        public RestoreRequest by(NodeName asking) {
            return new RestoreRequest(file, shown, asking, dryRun, mayLose, mayLoseAny, otherNode);
        }
    }

    /**
     * @param records in the file
     * @param kept leases that are in force and in the file
     * @param lost leases that are in force and would not be any more, ordered by owner
     * @param returning leases of the file that are not in force: of pods that may be gone, which garbage collection
     *     ends
     * @param leftOut operations of the cloud in the file that are not pending any more; those pending now stay
     */
    public record RestorePlan(
            FileHeader header, long records, int kept, List<Lost> lost, int returning, int leftOut, boolean otherNode) {
        /** A lease in force that the file does not have, and what the file has instead, in a few words. */
        public record Lost(Lease lease, String why) {}
    }

    /**
     * What became of a restore that was staged.
     *
     * @param taken whether the restored records are in use now; if not, those from before are
     * @param message one line that says what was done, and where the other files are
     * @param before where the files are kept that were in use before
     */
    public record FinishedRestore(boolean taken, String message, Optional<Path> before) {}
}

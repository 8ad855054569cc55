package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.port.ResourceDb;
import io.enipam.store.DatabaseFileException.Reason;
import io.enipam.store.DatabaseFileReader.DatabaseFile;
import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.Compaction;
import io.enipam.store.DatabaseTools.FileHeader;
import io.enipam.store.DatabaseTools.NodeName;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.store.StagedRestore.RestoreManifest;
import io.enipam.store.Verification.Check;
import io.enipam.store.Verification.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The tools of one open database. What reads or writes its files runs on the thread that keeps the checkpoints. */
final class StoreTools implements DatabaseTools {
    private final Disk disk;
    private final StoreDirectory directory;
    private final StoreOptions options;
    private final LiveView view;
    private final Checkpointer keeper;

    StoreTools(Disk disk, StoreDirectory directory, StoreOptions options, LiveView view, Checkpointer keeper) {
        this.disk = disk;
        this.directory = directory;
        this.options = options;
        this.view = view;
        this.keeper = keeper;
    }

    @Override
    public List<ResourceDb.RawRecord> records() {
        StoreSnapshot all = view.snapshot();
        List<ResourceDb.RawRecord> records = new ArrayList<>();
        Arrays.stream(Bucket.values())
                .sorted(Comparator.comparing(Bucket::text))
                .forEach(bucket -> all.of(bucket)
                        .forEach(record -> records.add(new ResourceDb.RawRecord(
                                bucket.text(), record.getKey(), new String(record.getValue(), UTF_8)))));
        return records;
    }

    @Override
    public Verification verify() {
        return keeper.alone(() -> {
            StoreSnapshot live = view.snapshot();
            return verification(
                    new FileVerification(disk, directory).verify(live, view::generation),
                    live,
                    options.clock().instant());
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
                        new Check("replay", count(files.replayed().orElse(records)), "records"),
                        new Check("records", count(records), "records")),
                problems);
    }

    private static long count(StoreSnapshot snapshot) {
        return snapshot.buckets().values().stream().mapToLong(List::size).sum();
    }

    @Override
    public Backup backup(Path file, NodeName node, boolean replace) {
        if (file.isAbsolute()) {
            new ReservedPaths(directory.path()).refuseToWrite(file);
        }
        StoreSnapshot snapshot = view.snapshot();
        FileHeader header = new FileHeader(
                FileHeader.Kind.BACKUP,
                node,
                Optional.of(new FileHeader.Moment(options.clock().instant(), snapshot.generation())));
        return BackupFile.write(file, header, snapshot, replace);
    }

    @Override
    public Iterator<byte[]> export(NodeName node) {
        return new DatabaseFileLines(new FileHeader(FileHeader.Kind.EXPORT, node, Optional.empty()), view.snapshot());
    }

    @Override
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
        new ReservedPaths(directory.path()).refuseToRead(request.file(), request.shown());
        Instant now = options.clock().instant();
        DatabaseFile file = DatabaseFileReader.read(request.file(), request.shown(), now);
        StoreSnapshot before = present.orElse(new StoreSnapshot(0, Map.of()));
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
                RestoreComparison.leases(before).values().stream()
                        .map(lease -> lease.owner().toString())
                        .toList(),
                present.isEmpty());
        try {
            new StagedRestore(disk, directory.path(), options).stage(file, before, note);
            return plan;
        } catch (IOException | StoreException e) {
            throw new DatabaseFileException(
                    Reason.FAILED,
                    "cannot prepare the restore beside " + directory.path() + ": " + e.getMessage(),
                    "nothing was changed; make room on that disk and try again",
                    e);
        }
    }

    static RestorePlan plan(RestoreRequest request, DatabaseFile file, StoreSnapshot present) {
        RestoreComparison leases = RestoreComparison.of(present, file.snapshot());
        int leftOut = 0;
        for (Bucket bucket : List.of(Bucket.INTENTS, Bucket.OPERATIONS)) {
            List<String> pending =
                    present.of(bucket).stream().map(Map.Entry::getKey).toList();
            leftOut += (int) file.snapshot().of(bucket).stream()
                    .filter(record -> !pending.contains(record.getKey()))
                    .count();
        }
        return new RestorePlan(
                file.header(),
                file.count(),
                leases.kept(),
                leases.lost(),
                leases.returning(),
                leftOut,
                file.header().node().differsFrom(request.node()));
    }

    private static void requireConsent(RestoreRequest request, RestorePlan plan) {
        if (plan.otherNode() && !request.otherNode()) {
            throw new DatabaseFileException(
                    Reason.NOT_AGREED,
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
            throw new DatabaseFileException(
                    Reason.NOT_AGREED,
                    refused.size() + (refused.size() == 1 ? " lease in force" : " leases in force")
                            + " would be lost: " + first.lease().pod() + " (" + first.why() + ")"
                            + (refused.size() == 1 ? "" : ", ..."),
                    "--dry-run shows all of them; to give them up, add --yes");
        }
    }

    @Override
    public Compaction compact() {
        return keeper.alone(() -> {
            Compaction.Size before = size();
            StoreSnapshot snapshot = view.snapshot();
            keeper.compact(snapshot);
            return new Compaction(snapshot.generation(), count(snapshot), before, size());
        });
    }

    private Compaction.Size size() throws IOException {
        int files = 0;
        long bytes = 0;
        for (String name : disk.list(directory.path())) {
            try {
                bytes += Files.size(directory.path().resolve(name));
                files++;
            } catch (java.nio.file.NoSuchFileException e) {
                // it got its final name meanwhile
            }
        }
        return new Compaction.Size(files, bytes);
    }

    /**
     * Where a database and what is kept beside it are. No file is written or read there on request: to open and to
     * close a file that is locked drops the lock of the whole process. Paths are compared as the kernel resolves them, for a
     * symbolic link has many names for one place.
     */
    private static final class ReservedPaths {
        private final Path directory;

        ReservedPaths(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
        }

        /** @throws DatabaseFileException if a file would be written among the database's own */
        void refuseToWrite(Path file) {
            Path target = file.normalize();
            place(target.getParent()).ifPresent(place -> {
                throw new DatabaseFileException(
                        Reason.REFUSED,
                        "cannot write " + file + ": " + named(place),
                        "name a file elsewhere, best on another disk");
            });
        }

        /** @throws DatabaseFileException if a file is one of the database's own */
        void refuseToRead(Path file, String shown) {
            place(file).ifPresent(place -> {
                throw new DatabaseFileException(
                        Reason.REFUSED,
                        shown + " cannot be taken: " + named(place),
                        "name a file that 'db backup' or 'db export' wrote");
            });
        }

        private String named(Path place) {
            return place.equals(directory)
                    ? "it is in the directory of the database itself"
                    : "it is in " + place + ", which is kept for the database";
        }

        /** Which of the places something is in; empty, too, if it is not there, which its opening reports. */
        private Optional<Path> place(Path path) {
            try {
                Path real = path.toRealPath();
                if (Files.exists(directory) && real.startsWith(directory.toRealPath())) {
                    return Optional.of(directory);
                }
                Path parent = Optional.ofNullable(directory.getParent()).orElseThrow();
                Path realParent = parent.toRealPath();
                if (!real.startsWith(realParent) || real.equals(realParent)) {
                    return Optional.empty();
                }
                Path first = realParent.resolve(real.getName(realParent.getNameCount()));
                return Files.isDirectory(first) && isKept(first.getFileName().toString())
                        ? Optional.of(parent.resolve(first.getFileName()))
                        : Optional.empty();
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        private boolean isKept(String name) {
            String own = directory.getFileName().toString();
            return name.startsWith(own + ".staged")
                    || name.startsWith(own + ".before-restore-")
                    || name.startsWith(own + ".damaged-")
                    || name.equals(own + ".rebuilt")
                    || name.equals(own + ".rebuilding");
        }
    }
}

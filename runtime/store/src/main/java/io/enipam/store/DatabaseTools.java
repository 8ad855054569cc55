package io.enipam.store;

import io.enipam.engine.model.Lease;
import io.enipam.engine.port.ResourceDb;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tools of one open database. Thread-safe. None of them holds up a commit for longer than a walk over the records
 * in memory takes; all of them block their caller for as long as they read and write files.
 */
public interface DatabaseTools {
    /** All records of one moment, those that are about the database itself included, ordered by bucket and key. */
    List<ResourceDb.RawRecord> records();

    /**
     * Reads every file of the database and compares what it says with what is in memory. Changes nothing. Files that
     * grow, roll over or are removed meanwhile are no problem and are never reported as one.
     */
    Verification verify();

    /**
     * Saves the records of one moment between two commits.
     *
     * @param file absolute; it has this name once all of it is durable, and mode 0600
     * @param replace whether a file that is there may be replaced
     * @throws DatabaseFileException if the file cannot be written; then nothing was changed
     */
    Backup backup(Path file, NodeName node, boolean replace);

    /**
     * The records of one moment as an export: JSON lines, each with its line end. The same records give the same bytes.
     *
     * @return made as it is read; used by one thread at a time
     */
    Iterator<byte[]> export(NodeName node);

    /**
     * Reads a backup or an export, and says what it would change. With consent, and unless it is a dry run, the records
     * are then staged: the next time the database is opened they take the place of the present ones.
     *
     * @throws DatabaseFileException if the file cannot be used, or leases would be lost that the request does not give
     *     up; then nothing was changed
     */
    RestorePlan restore(RestoreRequest request);

    /** Writes a checkpoint now, and removes the journal files that it makes unnecessary. */
    Compaction compact();

    /**
     * Whose records a file holds.
     *
     * @param node the node's name, as the daemon knows it; empty text if it is not known
     * @param instance the cloud's id of the machine; empty text until a cloud has reported it
     */
    record NodeName(String node, String instance) {
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
     * @param kind what made it
     * @param node whose records it holds
     * @param snapshot when a backup was taken, and of which commit; empty of an export, whose bytes depend on the
     *     records alone
     */
    record FileHeader(Kind kind, NodeName node, Optional<Moment> snapshot) {
        /** What a file was made by. */
        public enum Kind {
            BACKUP,
            EXPORT
        }

        /**
         * The moment between two commits that a backup shows.
         *
         * @param taken by the clock of the node
         * @param generation the number of the last commit in it
         */
        public record Moment(Instant taken, long generation) {}
    }

    /**
     * A backup that was written.
     *
     * @param records in all buckets
     * @param bytes length of the file
     * @param sha256 of all lines but the last, in hexadecimal; it stands in the last line, too
     * @param replaced whether there was a file of that name before
     */
    record Backup(Path file, FileHeader header, long records, long bytes, String sha256, boolean replaced) {}

    /**
     * What a compaction did.
     *
     * @param generation the last commit in the newest checkpoint
     * @param records in that checkpoint
     * @param before the database's files before
     * @param after the database's files after
     */
    record Compaction(long generation, long records, Size before, Size after) {
        /** How many files, and how many bytes they take together. */
        public record Size(int files, long bytes) {}
    }

    /**
     * What is to be restored, and what may be given up for it.
     *
     * @param file a backup or an export
     * @param shown what the file is called in messages
     * @param node the node that asks
     * @param dryRun whether only to say what would be changed
     * @param mayLose the owners whose leases may be lost
     * @param mayLoseAny whether all leases that the file does not have may be lost; those made after this call are kept
     *     all the same
     * @param otherNode whether the file may be another node's
     */
    record RestoreRequest(
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

        /** The same, asked by this node. */
        public RestoreRequest by(NodeName asking) {
            return new RestoreRequest(file, shown, asking, dryRun, mayLose, mayLoseAny, otherNode);
        }
    }

    /**
     * What a restore changes.
     *
     * @param records in the file
     * @param kept leases that are in force and in the file
     * @param lost leases that are in force and would not be any more, ordered by owner
     * @param returning leases of the file that are not in force: of pods that may be gone, which garbage collection
     *     ends
     * @param leftOut operations of the cloud in the file that are not pending any more; those pending now stay
     * @param otherNode whether the file is another node's
     */
    record RestorePlan(
            FileHeader header, long records, int kept, List<Lost> lost, int returning, int leftOut, boolean otherNode) {
        public RestorePlan {
            lost = List.copyOf(lost);
        }

        /**
         * A lease in force that the file does not have.
         *
         * @param why what the file has instead, in a few words
         */
        public record Lost(Lease lease, String why) {}
    }

    /**
     * What became of a restore that was staged.
     *
     * @param taken whether the restored records are in use now; if not, those from before are
     * @param message one line that says what was done, and where the other files are
     * @param before where the files are kept that were in use before
     */
    record FinishedRestore(boolean taken, String message, Optional<Path> before) {}
}

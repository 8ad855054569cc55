package io.enipam.store.tools;

import io.enipam.engine.port.ResourceDb;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * The tools of one open database. Thread-safe. None of them holds up a commit for longer than a walk over the records in
 * memory takes; all of them block their caller for as long as they read and write files.
 */
public interface DatabaseTools {
    /** All records of one moment, those that are about the database itself included, ordered by bucket and key. */
    List<ResourceDb.RawRecord> records();

    /**
     * Reads every file of the database and compares what it says with what is in memory. Changes nothing. Files that grow,
     * roll over or are removed meanwhile are no problem and are never reported as one.
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
     * Reads a backup or an export, and says what it would change. With consent, and unless it is a dry run, the records are
     * then staged: the next time the database is opened they take the place of the present ones.
     *
     * @throws DatabaseFileException if the file cannot be used, or leases would be lost that the request does not give up;
     *     then nothing was changed
     */
    RestorePlan restore(RestoreRequest request);

    /** Writes a checkpoint now, and removes the journal files that it makes unnecessary. */
    Compaction compact();
}

package io.enipam.recovery;

import io.enipam.store.SalvageResult;
import java.nio.file.Path;
import java.util.Optional;

/** Where a recovery tells what it does, in the order of these methods. */
public interface RecoverReport {
    /** What is left of the database. */
    void salvaged(Path database, SalvageResult salvaged);

    /** What the witnesses say, or that they say nothing. */
    void witnesses(Witnesses witnesses);

    /** Every decision, and how many of each there are. */
    void outcome(Outcome outcome);

    /**
     * The end.
     *
     * @param kept where the old files are; empty if there were none, or nothing was changed
     */
    void end(End end, Path database, Optional<Path> kept);

    /** How a recovery ended. */
    enum End {
        /** The database opens: nothing was done. */
        SOUND,
        /** Nothing was changed, as was asked. */
        DRY_RUN,
        /** A new database is in place. */
        DONE,
        /** The last step of an earlier recovery was done. */
        FINISHED
    }
}

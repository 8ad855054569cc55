package io.enipam.store;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb.Intent;
import java.util.List;
import java.util.Optional;

/**
 * What is left of a database. Every record in it was once written as it is here.
 *
 * @param trouble why the database does not open; empty unless it is damaged
 * @param files what was read where, a line for each file and each hole in it
 */
public record SalvageResult(
        State state, Optional<String> trouble, Records records, Commits commits, List<String> files) {
    /** What there is of a database. */
    public enum State {
        /** Its directory does not exist, or holds no file of a database. */
        MISSING,
        /** It opens: there is nothing to salvage, and none of the lists is filled. */
        SOUND,
        /** It does not open. */
        DAMAGED
    }

    /** Whether nothing that was ever committed is missing. */
    public boolean whole() {
        return state != State.MISSING && commits.gaps.isEmpty() && !commits.open;
    }

    static SalvageResult nothing(State state) {
        Records none = new Records(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty());
        return new SalvageResult(state, Optional.empty(), none, new Commits(0, List.of(), false), List.of());
    }

    /**
     * The records that prove themselves.
     *
     * @param leases by owner
     * @param holds by resource
     * @param intents by their keys
     * @param operations by id
     * @param pods by namespace and name
     * @param rows of plugins' tables
     * @param node whose database it was, if that could be read
     */
    public record Records(
            List<SalvagedRecord<Lease>> leases,
            List<SalvagedRecord<Hold>> holds,
            List<SalvagedRecord<Intent>> intents,
            List<SalvagedRecord<CloudJournal.Entry>> operations,
            List<SalvagedRecord<PodCopy>> pods,
            List<SalvagedRecord<TableRow>> rows,
            Optional<NodeRecord> node) {}

    /**
     * @param last the last commit that is known to have been made
     * @param gaps the commits that are missing, ascending
     * @param open whether more commits may have been made after the last one that is known
     */
    public record Commits(long last, List<MissingCommits> gaps, boolean open) {}

    /** Commits, from the first to the last, that were made and cannot be read. */
    public record MissingCommits(long from, long to) {}

    /**
     * A record of a damaged database. It was written as it is here: its checksum holds.
     *
     * @param generation the last commit that is known to have left it so
     * @param certain whether every later commit is known, too. If not, it may be stale: one of the commits that are missing may
     *     have changed or removed it
     */
    public record SalvagedRecord<T>(T value, long generation, boolean certain) {}
}

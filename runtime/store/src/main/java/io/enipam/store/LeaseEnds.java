package io.enipam.store;

import io.enipam.engine.model.Lease;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Follows the leases that end, in the order of the commits. A lease whose end is in the journal behind the newest checkpoint is reported
 * of again at the next start; before a checkpoint makes the commits in it unnecessary, {@link #reached} is called. So a follower that
 * keeps what it was told, with the number of the last commit, misses none, whenever the process dies.
 */
public interface LeaseEnds {
    LeaseEnds NONE = new LeaseEnds() {
        @Override
        public void begin(Opened opened) {}

        @Override
        public void ended(List<EndedLease> ends) {}

        @Override
        public void reached(long generation) {}
    };

    /** A database is open, and nothing else has been told of it. */
    void begin(Opened opened);

    /** Leases of one or more whole commits ended. Does not block, nor throw: commits wait for it. */
    void ended(List<EndedLease> ends);

    /** Makes durable what it was told of up to a commit, if the disk lets it; waits for it, and does not throw. */
    void reached(long generation);

    /**
     * @param made when the database was made, which distinguishes it from others
     * @param from what ended up to this commit is not in {@code ended}
     * @param ended since, up to the last commit
     * @param leases those that stand
     * @param before the database that a restore replaced last, if it can be read
     */
    record Opened(
            long made,
            long from,
            List<EndedLease> ended,
            Supplier<List<Lease>> leases,
            Supplier<Optional<Opened>> before) {}
}

package io.enipam.store;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import java.time.Instant;
import java.util.Optional;

/**
 * A row of a lease that a commit removed or replaced, as bytes: the thread that applies commits does not decode it.
 *
 * @param generation the commit's number
 * @param former the row until then; never written
 * @param next the row that took its place, empty if none did
 * @param why what the commit says of the end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EndedLease(long generation, String owner, byte[] former, Optional<byte[]> next, Optional<String> why) {
    private static final RecordCodec CODEC = new RecordCodec();

    /**
     * The lease, and its end; nothing if it goes on: a row may be written anew for the pod's UID alone.
     *
     * @param now when it ended, if the commit does not say
     * @throws StoreException if the row is not readable
     */
    public Optional<LeaseRecord> read(Instant now) {
        Lease lease = CODEC.lease(owner, former);
        Optional<Lease> replaced = next.map(row -> CODEC.lease(owner, row));
        if (replaced.filter(
                        other -> other.resource().id().equals(lease.resource().id())
                                && other.since().equals(lease.since()))
                .isPresent()) {
            return Optional.empty();
        }
        LeaseEnd end = replaced.map(other ->
                        new LeaseEnd(LeaseEnd.Reason.PASSED_ON, "", "the owner's lease was made anew", other.since()))
                .or(() -> CODEC.end(why))
                .orElseGet(() -> new LeaseEnd(LeaseEnd.Reason.UNKNOWN, "", "", now));
        return Optional.of(LeaseRecord.of(lease, Optional.of(end)));
    }
}

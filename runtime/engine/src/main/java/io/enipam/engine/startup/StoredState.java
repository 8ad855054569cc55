package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseRegistry;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Intent;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the start-up found in the database.
 *
 * @param contents all of it, as it was when it was opened
 * @param aside leases that the books do not have, since a newer one has their address
 */
record StoredState(ResourceDb.Contents contents, List<Lease> aside) {
    static final StoredState NONE = new StoredState(
            new ResourceDb.Contents(List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty()),
            List.of());

    StoredState {
        aside = List.copyOf(aside);
    }

    /** Whether a start-up has completed on this database. */
    boolean settled() {
        return contents.node().filter(NodeRecord::settled).isPresent();
    }

    boolean isAside(OwnerKey owner) {
        return aside.stream().anyMatch(lease -> lease.owner().equals(owner));
    }

    /** What there was, in words. */
    String opened() {
        return contents.leases().size() + " leases, " + contents.holds().size() + " holds"
                + (settled() ? "" : "; a new or lost database");
    }

    /** What was begun and not ended, in words. */
    String pending() {
        long disposals = contents.intents().stream()
                .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                .count();
        long creates = contents.intents().size() - disposals;
        long calls = contents.operations().size();
        return disposals + creates + calls == 0
                ? "none"
                : disposals + " disposals to go on with, " + creates + " creates to look for, " + calls
                        + " calls of the cloud to check";
    }

    /** The database's word as it is by now, beside everybody else's. */
    ObservedState evidence(
            LeaseRegistry book,
            List<Attachment> sandboxes,
            PodIndex residents,
            List<Resource> listed,
            List<EndedLease> ended,
            Instant now) {
        List<Lease> rows = Stream.concat(book.all().stream(), aside.stream()).toList();
        return new ObservedState(rows, contents.holds(), sandboxes, residents, listed, ended, now);
    }
}

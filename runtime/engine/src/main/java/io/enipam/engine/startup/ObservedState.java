package io.enipam.engine.startup;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Attachment;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.List;

/**
 * All that is known when it is decided who has which address.
 *
 * @param rows the leases of the database, also those of one address
 * @param holds what the database keeps from being lent
 * @param sandboxes what the kernel is connected to
 * @param residents the pods
 * @param listed what the factory lists, stamped with its name
 * @param ended what DELs have ended since the start began
 * @param now the date of what is decided
 */
record ObservedState(
        List<Lease> rows,
        List<Hold> holds,
        List<Attachment> sandboxes,
        PodIndex residents,
        List<Resource> listed,
        List<EndedLease> ended,
        Instant now) {
    ObservedState {
        rows = List.copyOf(rows);
        holds = List.copyOf(holds);
        sandboxes = List.copyOf(sandboxes);
        listed = List.copyOf(listed);
        ended = List.copyOf(ended);
    }
}

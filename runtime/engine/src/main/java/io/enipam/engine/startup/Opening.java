package io.enipam.engine.startup;

import io.enipam.engine.lease.Leasing;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.StaleRows;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Brings what the database has into book, pool and pod store. */
final class Opening {
    private final Leasing leasing;
    private final StaleRows staleRows;

    Opening(Leasing leasing, StaleRows staleRows) {
        this.leasing = leasing;
        this.staleRows = staleRows;
    }

    Facts open() {
        ResourceDb.Contents contents = leasing.db().contents();
        leasing.copies().restore(contents.pods());
        Places<Lease> lent = new Places<>();
        List<Lease> aside = new ArrayList<>();
        contents.leases().stream()
                .sorted(Comparator.comparing(Lease::since).reversed())
                .forEach(lease -> {
                    if (lent.take(lease.resource(), lease)) {
                        leasing.book().put(lease);
                        leasing.pool().supply().adoptLent(lease.resource(), lease.owner(), lease.pod());
                    } else {
                        aside.add(lease);
                    }
                });
        List<Change> over = new ArrayList<>();
        Places<Hold> held = new Places<>();
        for (Hold hold : contents.holds()) {
            if (lent.at(hold.resource()).isEmpty()
                    && hold.until().isAfter(leasing.time().now())
                    && held.take(hold.resource(), hold)) {
                leasing.pool().supply().adopt(hold.resource(), Optional.of(hold));
            } else {
                over.add(new Change.RemoveHold(hold.resource().id()));
            }
        }
        if (!over.isEmpty()) {
            staleRows.remove(over);
        }
        return new Facts(contents, aside);
    }
}

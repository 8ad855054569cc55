package io.enipam.engine.startup;

import io.enipam.engine.lease.Leasing;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.StaleRows;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
        Set<ResourceId> lent = new HashSet<>();
        List<Lease> aside = new ArrayList<>();
        contents.leases().stream()
                .sorted(Comparator.comparing(Lease::since).reversed())
                .forEach(lease -> {
                    if (lent.add(lease.resource().id())) {
                        leasing.book().put(lease);
                        leasing.pool().supply().adoptLent(lease.resource(), lease.owner(), lease.pod());
                    } else {
                        aside.add(lease);
                    }
                });
        List<Change> over = new ArrayList<>();
        for (Hold hold : contents.holds()) {
            if (!lent.contains(hold.resource().id())
                    && hold.until().isAfter(leasing.time().now())) {
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

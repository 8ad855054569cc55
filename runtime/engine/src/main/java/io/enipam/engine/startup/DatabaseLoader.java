package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Brings what the database has into book, pool and pod store. */
final class DatabaseLoader {
    /** No list of the outside is believed to lag behind by more. */
    private static final Duration MOST_LAG = Duration.ofMinutes(2);

    private final LeaseContext leasing;
    private final StaleRowRemover staleRows;

    DatabaseLoader(LeaseContext leasing, StaleRowRemover staleRows) {
        this.leasing = leasing;
        this.staleRows = staleRows;
    }

    StoredState open() {
        ResourceDb.Contents contents = leasing.db().contents();
        leasing.copies().restore(contents.pods());
        AddressIndex<Lease> lent = new AddressIndex<>();
        List<Lease> aside = new ArrayList<>();
        contents.leases().stream()
                .sorted(Comparator.comparing(Lease::since).reversed())
                .forEach(lease -> {
                    if (lent.take(lease.resource(), lease)) {
                        leasing.book().put(lease);
                        leasing.pool().membership().adoptLent(lease.resource(), lease.owner(), lease.pod(), young(lease));
                    } else {
                        aside.add(lease);
                    }
                });
        List<Change> over = new ArrayList<>();
        AddressIndex<Hold> held = new AddressIndex<>();
        for (Hold hold : onePerResource(contents.holds())) {
            if (lent.at(hold.resource()).isEmpty()
                    && hold.until().isAfter(leasing.time().now())
                    && held.take(hold.resource(), hold)) {
                leasing.pool().membership().adopt(hold.resource(), Optional.of(hold));
            } else {
                over.add(new Change.RemoveHold(hold.resource().id()));
            }
        }
        if (!over.isEmpty()) {
            staleRows.remove(over);
        }
        return new StoredState(contents, aside);
    }

    /** How long from now the outside's lists may not show what was lent: the run that made it knew, and is gone. */
    private Duration young(Lease lease) {
        Duration age = Duration.between(lease.since(), leasing.time().now());
        Duration left = MOST_LAG.minus(age.isNegative() ? Duration.ZERO : age);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Of two holds of one resource the one that ends later; no database has two but one that something else wrote. */
    private Collection<Hold> onePerResource(List<Hold> holds) {
        Map<ResourceId, Hold> kept = new LinkedHashMap<>();
        for (Hold hold : holds) {
            Hold other = kept.put(hold.resource().id(), hold);
            if (other != null) {
                Hold later = other.until().isAfter(hold.until()) ? other : hold;
                kept.put(hold.resource().id(), later);
                leasing.events()
                        .error(
                                "HeldTwice",
                                hold.resource().id().value(),
                                "the database holds it twice, until " + other.until() + " and until " + hold.until()
                                        + ": the later one counts, and goes away with the other");
            }
        }
        return kept.values();
    }
}

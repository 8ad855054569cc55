package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Removes rows that are no longer needed: ended holds, operations that are over. No caller waits for it, and a row that stays
 * does no harm, since a start would settle it. But rows that stay pile up, so a removal the disk refused is kept and tried
 * again. Thread-safe; {@code this} guards the set.
 */
public final class StaleRowRemover {
    private final ResourceDb db;
    private final EventSink events;
    private final Set<Change> refused = new LinkedHashSet<>();

    public StaleRowRemover(ResourceDb db, EventSink events) {
        this.db = db;
        this.events = events;
    }

    /** Removes rows, if any, now or on a later {@link #retry}. */
    public void remove(List<Change> removals) {
        if (removals.isEmpty()) {
            return;
        }
        Stages.call(() -> db.commit(removals)).whenComplete((done, error) -> {
            if (error != null) {
                synchronized (this) {
                    refused.addAll(removals);
                }
                String why = Stages.cause(error).getMessage();
                events.warning("RowsKept", "engine", "rows that are no longer needed stay for now: " + why);
            }
        });
    }

    /** Removes the rows of holds that have ended, but none that is that of a hold which has begun since. */
    public void holdsEnded(List<ResourceKey> rows, ResourcePool pool) {
        remove(rows.stream()
                .filter(row -> !pool.isHeld(row))
                .<Change>map(Change.RemoveHold::new)
                .toList());
    }

    /** Tries again what was refused, where what the pool has by now allows it. */
    public void retry(ResourcePool pool) {
        if (db.trouble().isPresent()) {
            return; // it would be refused, and told, each time
        }
        List<Change> again = new ArrayList<>();
        synchronized (this) {
            refused.removeIf(removal -> switch (check(pool, removal)) {
                case REMOVE -> again.add(removal);
                case SUPERSEDED -> true;
                case LATER -> false;
            });
        }
        remove(again);
    }

    private static RemovalDecision check(ResourcePool pool, Change removal) {
        if (removal instanceof Change.RemoveHold hold) {
            return pool.isHeld(hold.resource())
                    ? RemovalDecision.SUPERSEDED
                    : pool.isIn(ResourceState.IN_USE, hold.resource()) ? RemovalDecision.LATER : RemovalDecision.REMOVE;
        }
        // a create's token is never used twice; a disposal's is the resource's id, which may come again
        return removal instanceof Change.RemoveIntent intent
                        && ResourceKey.parse(intent.key())
                                .filter(resource -> pool.isIn(ResourceState.DISPOSING, resource))
                                .isEmpty()
                ? RemovalDecision.REMOVE
                : RemovalDecision.SUPERSEDED;
    }

    /** What a removal that was refused would meet now. */
    private enum RemovalDecision {
        /** The row it was meant for. */
        REMOVE,
        /** An operation that is under way decides it. */
        LATER,
        /** A newer row of the same key, which must stay. */
        SUPERSEDED
    }
}

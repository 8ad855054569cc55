package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Removes rows that have had their day: ended holds, operations that are over. Nobody waits for it, and a row that stays
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

    /** Removes rows, now or on a later {@link #retry}. */
    public void remove(List<Change> removals) {
        Stages.call(() -> db.commit(removals)).whenComplete((done, error) -> {
            if (error != null) {
                synchronized (this) {
                    refused.addAll(removals);
                }
                events.warning(
                        "RowsKept",
                        "engine",
                        "rows that are no longer needed stay for now: "
                                + Stages.cause(error).getMessage());
            }
        });
    }

    /**
     * Tries again what was refused.
     *
     * @param judge says of each removal whether its time is now, later, or over
     */
    public void retry(Function<Change, RemovalDecision> judge) {
        if (db.trouble().isPresent()) {
            return; // it would be refused, and told, each time
        }
        List<Change> again = new ArrayList<>();
        synchronized (this) {
            refused.removeIf(removal -> switch (judge.apply(removal)) {
                case REMOVE -> again.add(removal);
                case SUPERSEDED -> true;
                case LATER -> false;
            });
        }
        if (!again.isEmpty()) {
            remove(again);
        }
    }

    /** What a removal that was refused would meet now. */
    public enum RemovalDecision {
        /** The row it was meant for. */
        REMOVE,
        /** Nobody can say before an operation that is under way has ended. */
        LATER,
        /** A newer row of the same key, which must stay. */
        SUPERSEDED
    }
}

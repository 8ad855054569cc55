package io.enipam.diagnostics.sources;

import io.enipam.engine.PendingWork;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.CapacityOverride;
import java.util.List;

/**
 * What the engine says, out of its memory.
 *
 * @param pool every resource and its state
 * @param leases by owner
 * @param order what it was told over what its policy wants
 * @param agenda what is under way and what comes next
 */
public record PoolWord(PoolView pool, List<Lease> leases, CapacityOverride order, PendingWork agenda) {
    public PoolWord {
        leases = List.copyOf(leases);
    }
}

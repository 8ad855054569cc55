package io.enipam.daemon.sources;

import io.enipam.engine.Agenda;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolView;
import java.util.List;

/**
 * What the engine says, out of its memory.
 *
 * @param pool every resource and its state
 * @param leases by owner
 * @param agenda what is under way and what comes next
 */
public record PoolWord(PoolView pool, List<Lease> leases, Agenda agenda) {
    public PoolWord {
        leases = List.copyOf(leases);
    }
}

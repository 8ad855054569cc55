package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolView;
import java.time.Duration;
import java.util.List;

/**
 * The engine and its pool.
 *
 * @param agenda what is under way, who waits, and what failed
 * @param uptime of the daemon
 * @param podsKnown whether somebody knows which pods there are
 */
public record EngineFacts(
        EngineStatus status,
        PoolView pool,
        EngineConfig config,
        PendingWork agenda,
        List<FactoryView> factories,
        Duration uptime,
        boolean podsKnown) {
    public EngineFacts {
        factories = List.copyOf(factories);
    }

    /** Whether it serves: only then do its pool and its database have to agree with anything. */
    public boolean serves() {
        return status.phase() == EngineStatus.Phase.READY;
    }
}

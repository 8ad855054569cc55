package io.enipam.engine;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.startup.StartupProgress.StepReport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How the engine is.
 *
 * @param detail the step of the start-up, or the reason it is not serving; empty text when all is well
 * @param lastGc the last garbage collection that was not a dry run
 * @param trouble why the engine will not serve before an operator repairs it, and what to do; empty if nothing is wrong
 */
public record EngineStatus(
        Phase phase,
        Instant phaseSince,
        String detail,
        Instant startedAt,
        Optional<GcReport> lastGc,
        Optional<ReconcileReport> lastReconcile,
        List<StepReport> startup,
        Optional<String> trouble) {
    public EngineStatus {
        startup = List.copyOf(startup);
    }

    public enum Phase {
        /** Built, not started. */
        NEW,
        /** Comparing database, cloud, kernel and pods; inspection works, ADD answers "try again". */
        RECOVERING,
        READY,
        /** Taking nothing new, finishing what was begun. */
        STOPPING,
        STOPPED
    }
}

package io.enipam.engine;

import io.enipam.engine.gc.GcReport;
import io.enipam.engine.reconcile.ReconcileReport;
import java.time.Instant;
import java.util.Optional;

/**
 * How the engine is.
 *
 * @param phase where it stands in its life
 * @param phaseSince when it came there
 * @param detail the step of the start-up, or the reason it is not serving; empty text when all is well
 * @param startedAt when it was started
 * @param lastGc the last garbage collection that was not a dry run
 * @param lastReconcile the last comparison of the pool with the cloud
 */
public record EngineStatus(
        Phase phase,
        Instant phaseSince,
        String detail,
        Instant startedAt,
        Optional<GcReport> lastGc,
        Optional<ReconcileReport> lastReconcile) {
    /** Where the engine stands in its life. */
    public enum Phase {
        /** Built, not started. */
        NEW,
        /** Comparing database, cloud, kernel and pods; inspection works, ADD answers "try again". */
        RECOVERING,
        /** Serving. */
        READY,
        /** Taking nothing new, finishing what was begun. */
        STOPPING,
        /** Done. */
        STOPPED
    }
}

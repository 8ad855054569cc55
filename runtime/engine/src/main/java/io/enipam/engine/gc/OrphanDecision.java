package io.enipam.engine.gc;

import java.time.Instant;
import java.util.Optional;

/** What {@link OrphanRule} makes of a lease. */
public sealed interface OrphanDecision {
    /** Its pod is there. */
    record Kept() implements OrphanDecision {}

    /**
     * Its pod seems to be gone, which is not enough to end the lease.
     *
     * @param reason what is missing, for a person
     * @param until when it ends at the earliest, as far as time alone decides
     */
    record Spared(String reason, Optional<Instant> until) implements OrphanDecision {}

    /**
     * Its pod is gone: the next collection ends the lease.
     *
     * @param reason why, for a person
     */
    record Orphan(String reason) implements OrphanDecision {}
}

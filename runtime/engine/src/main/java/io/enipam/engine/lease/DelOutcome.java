package io.enipam.engine.lease;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.ResourceState;
import java.util.Optional;

/**
 * What came of a DEL: always success, whether anything was held or not.
 *
 * @param released the lease that ended, or empty if the owner held nothing
 * @param hold what keeps the resource from being lent again at once, or empty if nothing does
 * @param state what the resource is now: {@code IDLE}, {@code COOLING}, {@code RESERVED}, or {@code DISPOSING} or {@code
 *     INVALID} if it is on its way out; empty if nothing was held
 */
public record DelOutcome(Optional<Lease> released, Optional<Hold> hold, Optional<ResourceState> state) {
    /** The owner had nothing: success, nothing changed. */
    public static final DelOutcome NOTHING_HELD = new DelOutcome(Optional.empty(), Optional.empty(), Optional.empty());
}

package io.enipam.engine.model;

import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;

/**
 * A resource that no pod, or only one pod, may get until a moment in time. It is durable, so a restart does not lend an
 * address whose cool-down has not ended.
 *
 * @param pod the pod that had it, which comes first under {@link Purpose#RESERVED}
 * @param length how long it was from its beginning to {@code until}; zero where that was not recorded. A clock that went back
 *     since makes it no longer than that
 */
public record Hold(Resource resource, Purpose purpose, PodRef pod, Instant until, Duration length) {
    /** How much of it is left, zero or less if it is over. */
    public Duration left(Instant now) {
        Duration left = Duration.between(now, until);
        return length.isZero() || left.compareTo(length) < 0 ? left : length;
    }

    public enum Purpose {
        /** Cool-down: stale traffic and conntrack entries of the old pod die first. */
        COOLING,
        /** Reservation: a StatefulSet's pod shall find its address again. Another pod gets it only on a node that has nothing else. */
        RESERVED
    }
}

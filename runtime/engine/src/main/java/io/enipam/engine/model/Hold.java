package io.enipam.engine.model;

import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Instant;

/**
 * A resource nobody, or only one pod, may get until a moment in time. It is durable, so a restart does not lend an
 * address whose cool-down has not ended.
 *
 * @param resource what is held
 * @param purpose why
 * @param pod the pod that had it, which alone gets it back under {@link Purpose#RESERVED}
 * @param until when the hold ends
 */
public record Hold(Resource resource, Purpose purpose, PodRef pod, Instant until) {
    /** Why a resource is held. */
    public enum Purpose {
        /** Cool-down: stale traffic and conntrack entries of the old pod die first. */
        COOLING,
        /** Reservation: a StatefulSet's pod shall find its address again. */
        RESERVED
    }
}

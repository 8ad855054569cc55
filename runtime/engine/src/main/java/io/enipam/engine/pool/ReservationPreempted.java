package io.enipam.engine.pool;

import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Instant;

/**
 * A reservation that went to another pod, since the node has nothing else.
 *
 * @param from the pod that it was kept for
 * @param until until when it would have been
 * @param to the pod that has it
 */
public record ReservationPreempted(Resource resource, PodRef from, Instant until, PodRef to) {}

package io.enipam.engine.pool;

import io.enipam.engine.model.ResourceKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Receives what the pool does by itself. Called outside the pool's lock, on the thread that noticed it. */
public interface PoolListener {
    /** Idle resources, or callers that wait, may be too many or too few. */
    void demandChanged();

    /** Something went back or was lost that may have kept a create from succeeding. */
    default void capacityFreed() {}

    /** The next comparison is wanted early: callers wait for capacity. Called again as long as it is so. */
    default void comparisonDue() {}

    /**
     * Cool-downs or reservations ended; the resources are idle, or lent again, by now.
     *
     * @param rows their keys in the database
     */
    void holdsEnded(List<ResourceKey> rows);

    /** One of them that ended because its time was over. */
    default void holdLapsed(HoldExpired lapse) {}

    /** A reservation that went to another pod than it was kept for: its lease ends the hold. */
    default void reservationTaken(ReservationPreempted taken) {}

    /** What was kept aside joined the pool: the resource that had its address has left. */
    default void admitted(Resource resource) {}

    /** What was kept aside and exceeds the capacity: it is to be given back. */
    default void unwanted(Resource resource) {}

    /** Nothing of a leaving factory is left; called once. */
    void drained(String factory);

    /**
     * @param pod the pod that had the resource last
     * @param was {@code COOLING} or {@code RESERVED}
     * @param now what it is since: {@code IDLE}, {@code DISPOSING} if its maker leaves, {@code COOLING} if it left the
     *     pool
     */
    record HoldExpired(Resource resource, Optional<PodRef> pod, ResourceState was, ResourceState now) {}

    /**
     * A reservation that went to another pod, since the node has nothing else.
     *
     * @param from the pod that it was kept for
     */
    record ReservationPreempted(Resource resource, PodRef from, Instant until, PodRef to) {}
}

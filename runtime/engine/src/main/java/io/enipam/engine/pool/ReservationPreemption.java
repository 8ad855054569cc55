package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.pool.PoolListener.ReservationPreempted;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When an address that is kept for a pod goes to another one. While more can be created, never: an ADD that finds
 * nothing idle waits for a create. On a full node the address is kept for half of the time that another caller has;
 * then the waiter takes precedence over the absent pod, and gets the reservation that would end first. So a
 * StatefulSet's pod that is made anew without delay finds its address even on a full node, and no pod stays without one
 * for the sake of a pod that may never come. Where nothing can be made until an operator repairs something, there is
 * nothing to wait for, and the address goes at once.
 *
 * <p>The queue's order holds: its first waiter gets the address, whichever waiter's grace time has ended. A reservation
 * is over when the ADD that took it has its row on disk: should that ADD fail later, the address is idle and not kept
 * again. Guarded by the pool's lock.
 */
record ReservationPreemption(PoolCore core) {
    /** How long a caller leaves reservations alone. */
    static Duration graceTime(Duration timeout) {
        return timeout.dividedBy(2);
    }

    /** The reservation that the queue's head gets now. */
    @Nullable
    Slot ofQueue() {
        Slot slot = core.inventory.nextReservation();
        boolean due = slot != null
                && (core.obstacle() != null || (isFull() && core.queue.stream().anyMatch(waiter -> waiter.impatient)));
        return due ? slot : null;
    }

    /** Whether nothing can be made for a caller in the queue, nor is being made. */
    private boolean isFull() {
        return core.headroom(core.factories.active) == 0
                && core.factories.creating(core.factories.active) < core.queue.size();
    }

    /** To be called before a slot is lent: remembers to report another pod's reservation. */
    void lending(Slot slot, PodRef to, DeferredEffects after) {
        if (slot.state == RESERVED && !to.equals(slot.pod)) {
            PodRef from = Objects.requireNonNull(slot.pod, "a reservation is for a pod");
            Instant until = core.time.now().plusNanos(slot.until - core.time.nanoTime());
            ReservationPreempted taken = new ReservationPreempted(slot.resource, from, until, to);
            after.news(listener -> listener.reservationTaken(taken));
        }
    }
}

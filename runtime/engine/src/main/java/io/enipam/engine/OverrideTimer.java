package io.enipam.engine;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Has the pool looked at when the time of the order in force is over; of those that were replaced, nothing waits. Thread-safe. */
final class OverrideTimer {
    private final TimeSource time;
    private final Scheduler scheduler;
    private final Supplier<CapacityOverride> inForce;
    private final Runnable look;
    private Optional<Scheduler.Cancellable> waiting = Optional.empty(); // by this

    OverrideTimer(TimeSource time, Scheduler scheduler, Supplier<CapacityOverride> inForce, Runnable look) {
        this.time = time;
        this.scheduler = scheduler;
        this.inForce = inForce;
        this.look = look;
    }

    /** An order was given. Which one is in force is asked under the lock: two may be given at once. */
    synchronized void overrideChanged() {
        waiting.ifPresent(Scheduler.Cancellable::cancel);
        CapacityOverride order = inForce.get();
        Duration left = order.left(time.now()).plusMillis(1);
        waiting = order.until().map(until -> scheduler.after(left, look));
    }
}

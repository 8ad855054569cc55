package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.pool.CapacityOverride.Kind;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.sdk.Target;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The order that is in force, laid over what the policy wants. Under the pool's lock, but for {@link #notifyChanges}.
 */
final class ActiveOverride {
    private final PoolCore core;
    private CapacityOverride order;
    private Consumer<CapacityOverride> changes = change -> {};
    private long endsAt;
    /** Notifications to send once the lock is released. */
    private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();

    ActiveOverride(PoolCore core) {
        this.core = core;
        this.order = CapacityOverride.none(core.time.now());
    }

    /** Whether there is no order, without a look at the clock. */
    boolean isNone() {
        return order.kind() == Kind.NONE;
    }

    /** The order in force; one that is over is none. */
    CapacityOverride inForce() {
        if (order.kind() == Kind.WARM && core.time.nanoTime() - endsAt >= 0) {
            // it says until when; if the clock was set back since, it is over before that
            Instant now = core.time.now();
            become(CapacityOverride.none(
                    order.until().filter(until -> !until.isAfter(now)).orElse(now)));
        }
        return order;
    }

    private void become(CapacityOverride next) {
        Consumer<CapacityOverride> told = changes;
        order = next;
        news.add(() -> told.accept(next));
    }

    /** @param told called when the order is carried out, and when it is over */
    void set(CapacityOverride next, Consumer<CapacityOverride> told) {
        // by the clock that does not jump, as all that ends in a pool
        endsAt = core.time.nanoTime() + next.left(core.time.now()).toNanos();
        order = next;
        changes = told;
    }

    /** What is wanted, with the order laid over it. */
    Target over(Target wanted) {
        CapacityOverride now = inForce();
        return switch (now.kind()) {
            case NONE -> wanted;
            case DRAINED -> new Target(0, 0, wanted.shedFirst());
            case WARM -> {
                if (!now.met() && core.inventory.idle().size() >= now.idle()) {
                    become(now.carriedOut());
                }
                yield new Target(
                        order.met() ? wanted.minIdle() : Math.max(wanted.minIdle(), now.idle()),
                        Math.max(wanted.maxIdle(), now.idle()),
                        wanted.shedFirst());
            }
        };
    }

    /** Without the lock: sends the notifications about override. */
    void notifyChanges() {
        for (Runnable next = news.poll(); next != null; next = news.poll()) {
            next.run();
        }
    }

    OverridePreview preview(CapacityOverride asked, Target wanted) {
        String active = core.factories.active;
        int idle = core.inventory.idle().size();
        int creating = core.factories.creating(active);
        int missing = asked.kind() == Kind.WARM ? Math.max(0, asked.idle() - idle) : 0;
        int makes = Math.min(missing, creating + core.headroom(active));
        int most = asked.kind() == Kind.DRAINED ? 0 : Math.max(wanted.maxIdle(), asked.idle());
        int gives = core.releases.releasable(Math.max(0, idle - most));
        return new OverridePreview(
                idle,
                makes,
                gives,
                idle - gives,
                core.inventory.count(COOLING) + core.inventory.count(RESERVED),
                core.inventory.count(IN_USE),
                missing - makes);
    }
}

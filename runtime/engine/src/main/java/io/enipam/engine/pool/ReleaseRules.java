package io.enipam.engine.pool;

import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The rules for when an idle address is released, all of them. The policy's target says how many stay idle and which go first; an
 * operator's override is laid over it before it comes here. While callers wait, nothing idle is released. Used under the pool's lock.
 */
record ReleaseRules(PoolCore core) {
    /** What is above the target's upper watermark, or above what the pool may hold: a start may find more than that. */
    List<Slot> surplus(Target target) {
        if (!core.queue.isEmpty() || core.closed) {
            return List.of();
        }
        int surplus = Math.max(idle() - target.maxIdle(), core.inventory.total() - core.capacity());
        return choose(core.inventory, surplus, target.shedFirst());
    }

    /**
     * What has been idle for long, down to the lower watermark. A rule of the built-in policy: how many another policy keeps
     * idle is that policy's decision.
     */
    List<Slot> longIdle(Duration idleFor, int most) {
        int above = idle()
                - Math.max(core.settings.minIdle(), core.override.inForce().idle());
        if (!core.policy.builtIn() || !core.queue.isEmpty() || core.closed || above <= 0) {
            return List.of();
        }
        long now = core.time.nanoTime();
        return choose(core.inventory, Math.min(above, most), List.of()).stream()
                .filter(slot -> now - slot.since >= idleFor.toNanos())
                .toList();
    }

    /** How many of a surplus would be released in the end: a primary address whose siblings all go goes after them. */
    int releasable(int surplus) {
        if (surplus == 0) {
            return 0;
        }
        Map<String, Integer> idleOn = new HashMap<>();
        core.inventory.idle().forEach(slot -> idleOn.merge(slot.resource.parent(), 1, Integer::sum));
        int goes = 0;
        for (Slot slot : core.inventory.idle()) {
            String parent = slot.resource.parent();
            boolean last = idleOn.getOrDefault(parent, 0) >= core.inventory.siblings(parent);
            goes += last || !slot.resource.primary() ? 1 : 0;
        }
        return Math.min(surplus, goes);
    }

    private int idle() {
        return core.inventory.idle().size();
    }

    /**
     * Chooses which idle resources go, the longest idle first. A primary address goes only when it is the last of its parent, since
     * it goes with the parent; those with siblings are passed over instead of blocking the ones behind them.
     *
     * @param surplus how many too many there are; none if below 1
     * @param shedFirst those to take first, if they are idle
     */
    static List<Slot> choose(Inventory inventory, int surplus, List<ResourceId> shedFirst) {
        if (surplus <= 0) {
            return List.of();
        }
        LinkedHashSet<Slot> order = new LinkedHashSet<>();
        shedFirst.stream().map(inventory::idle).filter(Objects::nonNull).forEach(order::add);
        inventory.idle().forEach(order::add);
        return order.stream()
                .filter(slot -> slot.state == ResourceState.IDLE)
                .filter(slot -> !slot.resource.primary() || inventory.siblings(slot.resource.parent()) == 1)
                .limit(surplus)
                .toList();
    }
}

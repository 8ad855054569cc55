package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;

import io.enipam.sdk.ResourceKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The factories as the pool knows them: the active one, the coming and the leaving ones. Thread-safe, under the pool's
 * lock.
 */
public final class PoolFactories {
    private final PoolCore core;
    private final PoolMembership supply;

    PoolFactories(PoolCore core, PoolMembership supply) {
        this.core = core;
        this.supply = supply;
    }

    /** The name of the factory that makes what is made. */
    public String active() {
        return supply.change(after -> core.makers.active());
    }

    /**
     * A factory may deliver from now on, and is not done with before it leaves. One that is leaving stays; what was
     * sent back already goes.
     */
    public void register(String maker) {
        supply.update(after -> {
            core.makers.register(maker);
            core.makers.stay(maker);
        });
    }

    /** Whether a factory has resources, or may deliver some. */
    public boolean knows(String maker) {
        return supply.change(after -> core.makers.knows(maker));
    }

    /** Makes a factory the active one. */
    public void activate(String maker, ResourceKind kind, int capacity) {
        supply.update(after -> {
            core.makers.activate(maker, kind, capacity);
            core.inventory.touched();
            after.demand = true;
        });
    }

    /**
     * A factory leaves: what is idle of its goes back at once, what is lent when it is given back, what is kept for a
     * pod when that time is over.
     */
    public void leave(String maker) {
        supply.update(after -> {
            core.makers.leave(maker);
            long now = core.time.nanoTime();
            for (Slot slot : List.copyOf(core.inventory.slots())) {
                if (slot.resource.factory().equals(maker)) {
                    switch (slot.state) {
                        case IDLE -> core.sendBackIfLeaving(slot, now, after);
                        case COOLING -> {
                            core.becomeIdle(slot, now, after);
                            after.ended.add(slot.resource.id());
                        }
                        case CREATING, IN_USE, RESERVED, INVALID, DISPOSING -> {}
                    }
                }
            }
            core.inventory.touched();
            core.drainedPerhaps(maker, after);
        });
    }

    /** A factory that was leaving before a restart leaves, but is not done with before {@link #listed} was called. */
    public void leaveOnceListed(String maker) {
        supply.update(after -> {
            core.makers.leave(maker);
            core.makers.unanswered(maker, 1);
        });
    }

    /** All that a leaving factory has is in the pool by now. */
    public void listed(String maker) {
        supply.update(after -> {
            core.makers.unanswered(maker, -1);
            core.drainedPerhaps(maker, after);
        });
    }

    /** All that one factory made is another's from now on: both stand for the same provider. */
    public void merge(String from, String to) {
        supply.update(after -> {
            core.makers.register(to);
            for (Slot slot : core.inventory.slots()) {
                if (slot.resource.factory().equals(from)) {
                    slot.resource = slot.resource.madeBy(to);
                }
            }
            core.aside.reassign(from, to);
            core.makers.merge(from, to);
            core.inventory.touched();
            core.drainedPerhaps(from, after);
        });
    }

    /** How many of a factory's resources serve pods, now or after their hold. */
    public int usable(String maker) {
        return supply.change(after -> (int) core.inventory.slots().stream()
                .filter(slot -> slot.resource.factory().equals(maker))
                .filter(slot -> slot.state != DISPOSING && slot.state != INVALID)
                .count());
    }

    /**
     * How many idle resources a factory that takes over shall bring: the lower watermark, and one for each that waits.
     * A pool that is drained wants no stock: one proves that it makes anything.
     */
    public int wantedOfNext() {
        return supply.change(after -> {
            boolean drained = core.orders.inForce().kind() == CapacityOverride.Kind.DRAINED;
            return Math.max(1, (drained ? 0 : core.settings.minIdle()) + core.queue.size());
        });
    }

    /**
     * The factories there are, the active one first.
     *
     * @param coming the name of the factory that is about to take over; empty text for none
     */
    public List<FactoryView> views(String coming) {
        return supply.change(after -> {
            List<FactoryView> views = new ArrayList<>();
            core.makers.names().stream().sorted().forEach(name -> {
                FactoryView view = view(name, coming);
                views.add(view.role() == FactoryView.Role.ACTIVE ? 0 : views.size(), view);
            });
            return views;
        });
    }

    private FactoryView view(String name, String coming) {
        FactoryView.Role role = FactoryView.Role.LEAVING;
        if (name.equals(core.makers.active())) {
            role = FactoryView.Role.ACTIVE;
        } else if (name.equals(coming)) {
            role = FactoryView.Role.COMING;
        }
        int leases = 0;
        int resources = 0;
        for (Slot slot : core.inventory.slots()) {
            if (slot.resource.factory().equals(name)) {
                resources++;
                leases += slot.owner == null ? 0 : 1;
            }
        }
        return new FactoryView(name, role, resources, leases);
    }

    /**
     * One factory of a pool at one moment.
     *
     * @param name the name by which configuration knows it
     * @param role what it does in the pool
     * @param resources how many resources of its the pool has, in whatever state
     * @param leases how many of them are lent
     */
    public record FactoryView(String name, Role role, int resources, int leases) {
        /** What a factory does in a pool. */
        public enum Role {
            /** Makes whatever is made. */
            ACTIVE,
            /** Is about to take over: makes its first resources. */
            COMING,
            /** Makes nothing more and takes back what it made. */
            LEAVING
        }
    }
}

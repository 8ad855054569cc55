package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.IDLE;

import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.util.Comparator;
import java.util.List;

/**
 * The factories as the pool knows them: the active one, the coming and the leaving ones. Thread-safe, under the pool's
 * lock.
 */
public final class PoolFactories {
    private final PoolCore core;

    PoolFactories(PoolCore core) {
        this.core = core;
    }

    /**
     * A factory may deliver from now on, and is not done with before it leaves. One that is leaving stays; what was
     * sent back already goes.
     */
    public void register(String maker, String provider) {
        core.update(after -> {
            core.factories.provides(maker, provider);
            core.factories.of(maker);
            core.factories.stay(maker);
        });
    }

    /** A factory that a start finds has the resources of a provider: its own name, or that of the factory it wraps. */
    public void provides(String maker, String provider) {
        core.locked(() -> {
            core.factories.provides(maker, provider);
            return true;
        });
    }

    /** The resource with the name of a factory there is: what no other one made is the active one's. */
    public Resource stamped(Resource resource) {
        return core.locked(() -> core.factories.stamped(resource));
    }

    /** Whether an intent is the disposal of a resource; one that does not say of which factory's, of each with the id. */
    public boolean isDisposal(Intent intent, Resource resource) {
        return intent.action() == Intent.Action.DISPOSE
                && intent.token().equals(resource.id().value())
                && (intent.factory().isEmpty()
                        || core.locked(() -> core.factories.shareOrigin(intent.factory(), resource.factory())));
    }

    /** Whether a factory has resources, or may deliver some. */
    public boolean knows(String maker) {
        return core.locked(() -> core.factories.knows(maker));
    }

    public void activate(String maker, ResourceKind kind, int capacity) {
        core.update(after -> {
            core.factories.activate(maker, kind, capacity);
            core.inventory.touched();
            after.demand = true;
        });
    }

    /**
     * A factory leaves: what is idle of its goes back at once, what is lent when it is given back, what is kept for a
     * pod when that time is over.
     */
    public void leave(String maker) {
        core.update(after -> {
            core.factories.leave(maker);
            long now = core.time.nanoTime();
            core.inventory.slotsOf(maker).forEach(slot -> {
                if (slot.state == IDLE) {
                    core.sendBackIfLeaving(slot, now, after);
                } else if (slot.state == COOLING) {
                    core.becomeIdle(slot, now, after);
                    after.ended(slot);
                }
            });
            core.inventory.touched();
            core.drainedPerhaps(maker, after);
        });
    }

    /** A factory that was leaving before a restart leaves, but is not done with before {@link #listed} was called. */
    public void leaveOnceListed(String maker) {
        core.update(after -> {
            core.factories.leave(maker);
            core.factories.of(maker).unanswered++;
        });
    }

    /** All that a leaving factory has is in the pool by now. */
    public void listed(String maker) {
        core.update(after -> {
            core.answered(maker, after);
        });
    }

    public void merge(String from, String to) {
        core.update(after -> {
            core.factories.of(to);
            core.inventory.reassign(from, to);
            core.aside.reassign(from, to);
            core.factories.merge(from, to);
            core.drainedPerhaps(from, after);
        });
    }

    /** How many of a factory's resources serve pods, now or after their hold. */
    public int usable(String maker) {
        return core.locked(() -> (int) core.inventory.slotsOf(maker).stream()
                .filter(slot -> !slot.isGoing())
                .count());
    }

    /**
     * How many idle resources a factory that takes over shall bring: the lower watermark, and one for each that waits.
     * A pool that is drained wants no stock: one proves that it makes anything.
     */
    public int wantedOfNext() {
        return core.change(after -> {
            boolean drained = core.override.inForce().kind() == CapacityOverride.Kind.DRAINED;
            return Math.max(1, (drained ? 0 : core.settings.minIdle()) + core.queue.size());
        });
    }

    /**
     * The factories there are, the active one first.
     *
     * @param coming the name of the factory that is about to take over; empty text for none
     */
    public List<FactoryView> views(String coming) {
        return core.locked(() -> core.factories.names().stream()
                .map(name -> view(name, coming))
                .sorted(Comparator.comparing((FactoryView view) -> view.role() != FactoryView.Role.ACTIVE)
                        .thenComparing(FactoryView::name))
                .toList());
    }

    private FactoryView view(String name, String coming) {
        FactoryView.Role role = name.equals(core.factories.active)
                ? FactoryView.Role.ACTIVE
                : name.equals(coming) ? FactoryView.Role.COMING : FactoryView.Role.LEAVING;
        List<Slot> slots = core.inventory.slotsOf(name);
        int leases = (int) slots.stream().filter(slot -> slot.owner != null).count();
        return new FactoryView(name, role, slots.size(), leases);
    }

    /** @param resources how many resources of its the pool has, in whatever state */
    public record FactoryView(String name, Role role, int resources, int leases) {
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

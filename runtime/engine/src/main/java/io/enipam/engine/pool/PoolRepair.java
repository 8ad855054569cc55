package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;

/**
 * How the pool is put right by what kernel and API server know: resources go to the owners they turn out to have, and
 * addresses that a sandbox uses without the pool's knowledge are kept out of it. Thread-safe, under the pool's lock.
 */
public final class PoolRepair {
    private final PoolCore core;
    private final PoolMembership supply;

    PoolRepair(PoolCore core, PoolMembership supply) {
        this.core = core;
        this.supply = supply;
    }

    /**
     * Makes a resource its owner's, whatever the pool said of it before, and whichever owner had it; what the owner had
     * is forgotten.
     */
    public void lend(Resource resource, OwnerKey owner, PodRef pod) {
        supply.update(after -> {
            Slot rival = core.inventory.rival(resource);
            while (rival != null) {
                drop(rival.resource.id());
                rival = core.inventory.rival(resource);
            }
            Slot former = core.inventory.of(owner);
            if (former != null) {
                drop(former.resource.id());
            }
            Slot slot = core.inventory.add(resource, core.time.nanoTime());
            core.inventory.lend(slot, owner, pod, core.time.nanoTime());
        });
    }

    /**
     * Makes a resource its owner's if it has no owner: if the pool does not know it, or only keeps it for later.
     *
     * @return false if the owner has another one, or this one's address has an owner, or it is on its way back: then
     *     nothing changes
     */
    public boolean lendIfFree(Resource resource, OwnerKey owner, PodRef pod) {
        return supply.change(after -> {
            Slot has = core.inventory.of(owner);
            if (has != null) {
                return has.resource.id().equals(resource.id());
            }
            Slot rival = core.inventory.rival(resource);
            if (rival != null && !isKept(rival, resource)) {
                return false;
            }
            if (rival != null) {
                core.inventory.remove(rival);
            }
            long now = core.time.nanoTime();
            core.inventory.lend(core.inventory.add(resource, now), owner, pod, now);
            return true;
        });
    }

    /** Whether {@link #lendIfFree} would be of use: nothing changes. */
    public boolean mayLend(Resource resource, OwnerKey owner) {
        return supply.change(after -> {
            Slot has = core.inventory.of(owner);
            Slot rival = core.inventory.rival(resource);
            return has != null ? has.resource.id().equals(resource.id()) : rival == null || isKept(rival, resource);
        });
    }

    /** Whether the pool knows nothing of a resource and its addresses, or only keeps it for later. */
    public boolean isFree(Resource resource) {
        return supply.change(after -> {
            Slot rival = core.inventory.rival(resource);
            return rival == null || isKept(rival, resource);
        });
    }

    /** Under the lock. */
    private static boolean isKept(Slot slot, Resource resource) {
        return slot.resource.id().equals(resource.id()) && isKept(slot);
    }

    private static boolean isKept(Slot slot) {
        return switch (slot.state) {
            case IDLE, COOLING, RESERVED -> true;
            case CREATING, IN_USE, INVALID, DISPOSING -> false;
        };
    }

    /** Forgets what an owner has, if it has something. */
    public void retract(OwnerKey owner) {
        supply.change(after -> {
            Slot slot = core.inventory.of(owner);
            return slot != null && drop(slot.resource.id());
        });
    }

    /** Forgets a resource and its owner: a list or {@link PoolMembership#adopt} may bring it in anew. */
    public void forget(ResourceId id) {
        supply.change(after -> drop(id));
    }

    /** Under the lock. */
    private boolean drop(ResourceId id) {
        Slot slot = core.inventory.get(id);
        if (slot == null) {
            return false;
        }
        if (slot.owner != null && core.inventory.of(slot.owner) == slot) {
            core.inventory.giveBack(slot.owner);
        }
        core.inventory.remove(slot);
        // on its way back, and not planned yet: it stays here
        core.departures.remove(slot);
        return true;
    }

    /**
     * Passes what an owner has on to another one, under whatever pod.
     *
     * @return false if the former owner has nothing, or the next one has something of its own: then nothing changes
     */
    public boolean passOn(OwnerKey from, OwnerKey to, PodRef pod) {
        return supply.change(after -> core.inventory.passOn(from, to, pod));
    }

    /**
     * Keeps addresses out of the pool, even if they are listed, delivered or given back: a sandbox uses them without
     * the pool's knowledge. A sandbox that has one of them keeps it.
     */
    public void bar(Collection<InetAddress> addresses) {
        supply.update(after -> {
            core.barred.addAll(addresses);
            for (Slot slot : List.copyOf(core.inventory.slots())) {
                if (isKept(slot) && core.isBarred(slot.resource)) {
                    if (slot.state != ResourceState.IDLE) {
                        after.ended.add(slot.resource.id());
                    }
                    core.forget(slot, after);
                }
            }
        });
    }

    /** Lets addresses in again: the next comparison finds them. */
    public void unbar(Collection<InetAddress> addresses) {
        supply.change(after -> core.barred.removeAll(addresses));
    }

    /** Whether a sandbox uses it without the pool's knowledge. */
    public boolean isBarred(Resource resource) {
        return supply.change(after -> core.isBarred(resource));
    }
}

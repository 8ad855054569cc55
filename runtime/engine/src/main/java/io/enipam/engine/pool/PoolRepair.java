package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the pool is put right by what kernel and API server know: resources go to the owners they turn out to have, and
 * addresses that a sandbox uses without the pool's knowledge are kept out of it. Thread-safe, under the pool's lock.
 */
public final class PoolRepair {
    private final PoolCore core;

    PoolRepair(PoolCore core) {
        this.core = core;
    }

    /**
     * Makes a resource its owner's, whatever the pool said of it before, and whichever owner had it; what the owner had
     * is forgotten.
     */
    public void lend(Resource resource, OwnerKey owner, PodRef pod) {
        core.update(after -> {
            Slot rival = core.inventory.rival(resource);
            while (drop(rival)) {
                rival = core.inventory.rival(resource);
            }
            drop(core.inventory.of(owner));
            long now = core.time.nanoTime();
            core.inventory.lend(core.inventory.add(resource, now), owner, pod, now);
        });
    }

    /**
     * Makes a resource its owner's if it has no owner: if the pool does not know it, or only keeps it for later.
     *
     * @return false if the owner has another one, or this one's address has an owner, or it is on its way back: then
     *     nothing changes
     */
    public boolean lendIfFree(Resource resource, OwnerKey owner, PodRef pod) {
        return core.change(after -> {
            boolean free = isFreeFor(resource, owner);
            if (!free || core.inventory.of(owner) != null) {
                return free;
            }
            Slot kept = core.inventory.rival(resource);
            if (kept != null) {
                core.inventory.remove(kept);
            }
            long now = core.time.nanoTime();
            core.inventory.lend(core.inventory.add(resource, now), owner, pod, now);
            return true;
        });
    }

    /** Whether {@link #lendIfFree} would be of use: nothing changes. */
    public boolean mayLend(Resource resource, OwnerKey owner) {
        return core.locked(() -> isFreeFor(resource, owner));
    }

    private boolean isFreeFor(Resource resource, OwnerKey owner) {
        Slot has = core.inventory.of(owner);
        return has == null ? isUnused(resource) : core.factories.same(has.resource, resource);
    }

    /** Whether the pool knows nothing of a resource and its addresses, or only keeps it for later. */
    public boolean isFree(Resource resource) {
        return core.locked(() -> isUnused(resource));
    }

    private boolean isUnused(Resource resource) {
        Slot rival = core.inventory.rival(resource);
        return rival == null || (core.factories.same(rival.resource, resource) && isKept(rival));
    }

    private static boolean isKept(Slot slot) {
        return slot.state == IDLE || slot.state == COOLING || slot.state == RESERVED;
    }

    /** Forgets what an owner has, if it has something. */
    public void retract(OwnerKey owner) {
        core.change(after -> drop(core.inventory.of(owner)));
    }

    /** Forgets a resource and its owner: a list or {@link PoolMembership#adopt} may bring it in anew. */
    public void forget(Resource resource) {
        core.change(after -> drop(core.inventory.get(resource)));
    }

    /** Under the lock. */
    private boolean drop(@Nullable Slot slot) {
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
        return core.locked(() -> core.inventory.passOn(from, to, pod));
    }

    /**
     * Keeps addresses out of the pool, even if they are listed, delivered or given back: a sandbox uses them without
     * the pool's knowledge. A sandbox that has one of them keeps it.
     */
    public void bar(Collection<InetAddress> addresses) {
        core.update(after -> {
            core.barred.addAll(addresses);
            for (Slot slot : List.copyOf(core.inventory.slots())) {
                if (isKept(slot) && core.isBarred(slot.resource)) {
                    if (slot.state != IDLE) {
                        after.ended(slot);
                    }
                    core.forget(slot, after);
                }
            }
        });
    }

    /** Lets addresses in again: the next comparison finds them. */
    public void unbar(Collection<InetAddress> addresses) {
        core.change(after -> core.barred.removeAll(addresses));
    }

    public boolean isBarred(Resource resource) {
        return core.locked(() -> core.isBarred(resource));
    }
}

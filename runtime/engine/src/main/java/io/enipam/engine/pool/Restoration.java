package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.util.Collection;

/**
 * How the pool is put right by what kernel and API server know: resources go to the owners they turn out to have, and
 * addresses that somebody uses without the pool's knowledge are kept out of it. Thread-safe, under the pool's lock.
 */
public final class Restoration {
    private final PoolCore core;
    private final Supply supply;

    Restoration(PoolCore core, Supply supply) {
        this.core = core;
        this.supply = supply;
    }

    /** Makes a resource its owner's, whatever the pool said of it before, and whoever had it; what the owner had is forgotten. */
    public void lend(Resource resource, OwnerKey owner, PodRef pod) {
        supply.change(after -> {
            drop(resource.id());
            Slot former = core.inventory.of(owner);
            if (former != null) {
                drop(former.resource.id());
            }
            Slot slot = core.inventory.add(resource, core.time.nanoTime());
            core.inventory.lend(slot, owner, pod, core.time.nanoTime());
            return true;
        });
    }

    /** Forgets a resource, and who has it: a list or {@link Supply#adopt} may bring it in anew. */
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

    /** Keeps addresses out of the pool, whoever lists or delivers them: a sandbox uses them, and the pool does not know them. */
    public void bar(Collection<InetAddress> addresses) {
        supply.change(after -> core.barred.addAll(addresses));
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

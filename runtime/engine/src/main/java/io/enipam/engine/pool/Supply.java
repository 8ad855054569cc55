package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The pool's other side: how resources come into it and leave it. Start-up adopts what it found; the {@link Provisioner}
 * plans creates and disposals and reports their outcomes. Thread-safe, under the pool's lock.
 */
public final class Supply {
    private final PoolCore core;

    Supply(PoolCore core) {
        this.core = core;
    }

    /** Puts an idle or held resource that start-up found into the pool. */
    public void adopt(Resource resource, Optional<Hold> hold) {
        Aftermath after = new Aftermath();
        core.lock.lock();
        try {
            Slot slot = core.inventory.add(resource, core.time.nanoTime());
            if (hold.isPresent()) {
                core.inventory.move(slot, IN_USE, core.time.nanoTime());
                core.backFromUse(slot, hold.get(), after);
            }
            core.serve(after);
        } finally {
            core.lock.unlock();
        }
        core.carryOut(after);
    }

    /** Puts a leased resource of the database into the pool. */
    public void adoptLent(Resource resource, OwnerKey owner, PodRef pod) {
        core.lock.lock();
        try {
            Slot slot = core.inventory.add(resource, core.time.nanoTime());
            core.inventory.lend(slot, owner, pod, core.time.nanoTime());
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * The outside lost a resource: it is never lent again, and goes as soon as nobody has it.
     *
     * @return who has it, if somebody has
     */
    public Optional<OwnerKey> invalidate(ResourceId id) {
        OwnerKey owner;
        core.lock.lock();
        try {
            Slot slot = core.inventory.get(id);
            if (slot == null || slot.state == INVALID || slot.state == DISPOSING) {
                return Optional.empty();
            }
            core.inventory.move(slot, INVALID, core.time.nanoTime());
            owner = slot.owner;
        } finally {
            core.lock.unlock();
        }
        core.listener.demandChanged();
        return Optional.ofNullable(owner);
    }

    /** Puts a resource whose disposal was begun before a restart into the pool. */
    public void adoptDisposing(Resource resource) {
        core.lock.lock();
        try {
            core.inventory.move(core.inventory.add(resource, core.time.nanoTime()), DISPOSING, core.time.nanoTime());
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * Decides what to create and what to dispose of, and books it: the creates as {@code CREATING}, the disposals as {@code
     * DISPOSING}. Every create booked must be answered by {@link #created} or {@link #createFailed}, every disposal, in the
     * end, by {@link #disposed}.
     *
     * @param target the policy's wish
     * @param mayCreate false while creates are backing off
     */
    Plan plan(Target target, boolean mayCreate) {
        core.lock.lock();
        try {
            int missing = core.queue.size()
                    + target.minIdle()
                    - core.inventory.idle().size()
                    - core.inventory.count(ResourceState.CREATING);
            int wanted = core.closed ? 0 : Math.max(0, Math.min(missing, core.capacity - core.inventory.total()));
            int creates = mayCreate ? wanted : 0;
            if (creates > 0) {
                core.inventory.creating(creates);
            }
            List<Slot> victims = new ArrayList<>();
            if (core.inventory.count(INVALID) > 0) {
                core.inventory.slots().stream()
                        .filter(slot -> slot.state == INVALID && slot.owner == null)
                        .forEach(victims::add);
            }
            if (core.queue.isEmpty() && !core.closed) {
                int surplus = core.inventory.idle().size() - target.maxIdle();
                victims.addAll(Surplus.choose(core.inventory, surplus, target.shedFirst()));
            }
            victims.forEach(slot -> core.inventory.move(slot, DISPOSING, core.time.nanoTime()));
            return new Plan(creates, victims.stream().map(slot -> slot.resource).toList(), wanted > creates);
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * A create succeeded.
     *
     * @param booked whether it still counts as {@code CREATING}; false for an answer that came after its deadline
     * @return false if there is no room for a late one: the caller disposes of it
     */
    boolean created(Resource resource, boolean booked) {
        Aftermath after = new Aftermath();
        core.lock.lock();
        try {
            if (booked) {
                core.inventory.creating(-1);
            }
            core.lastCreateFailure = "";
            if (core.inventory.get(resource.id()) != null) {
                return true;
            }
            if (core.inventory.total() >= core.capacity) {
                return false;
            }
            core.inventory.add(resource, core.time.nanoTime());
            core.serve(after);
            after.demand = true;
        } finally {
            core.lock.unlock();
        }
        core.carryOut(after);
        return true;
    }

    /** A create failed. The reason is told to callers that time out. */
    void createFailed(String reason) {
        core.lock.lock();
        try {
            core.inventory.creating(-1);
            core.lastCreateFailure = reason;
        } finally {
            core.lock.unlock();
        }
    }

    /** A disposal succeeded: the resource is gone. */
    void disposed(ResourceId id) {
        core.lock.lock();
        try {
            Slot slot = core.inventory.get(id);
            if (slot == null || slot.state != DISPOSING) {
                return;
            }
            core.inventory.remove(slot);
        } finally {
            core.lock.unlock();
        }
        core.listener.demandChanged();
    }

    /** Sets how much the pool may hold in all states together; less than it holds now only stops creates. */
    public void capacity(int most) {
        core.lock.lock();
        try {
            core.capacity = most;
            core.inventory.touched();
        } finally {
            core.lock.unlock();
        }
        core.listener.demandChanged();
    }

    /** The watermarks as configured: the built-in policy's target. */
    Target watermarks() {
        return Target.between(core.settings.minIdle(), core.settings.maxIdle());
    }
}

package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.FactoryListComparison.ResourceLoss;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.Provisioner.ProvisioningPlan;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pool's other side: how resources come into it and leave it. Start-up adopts what it found; the
 * {@link Provisioner} plans creates and disposals here, and reports what becomes of them to the
 * {@link ProvisioningOutcomes}. Thread-safe, under the pool's lock.
 */
public final class PoolMembership {
    private final PoolCore core;

    PoolMembership(PoolCore core) {
        this.core = core;
    }

    /** Puts an idle or held resource that start-up found into the pool. */
    public void adopt(Resource resource, Optional<Hold> hold) {
        core.update(after -> {
            long now = core.time.nanoTime();
            Slot slot = core.inventory.add(resource, now);
            if (hold.isPresent()) {
                core.inventory.move(slot, IN_USE, now);
                core.heldSinceEarlier(slot, hold.get(), now, after);
            } else {
                core.sendBackIfLeaving(slot, now, after);
            }
            core.serve(after);
        });
    }

    /**
     * Puts an idle resource that a factory listed into the pool, unless the pool is full or has one of this id or
     * address. One whose address another resource has is kept aside.
     *
     * @return the one that the pool has
     */
    Optional<Resource> adoptNew(Resource resource) {
        return core.change(after -> {
            Slot rival = core.inventory.rival(resource);
            if (rival == null && !core.isBarred(resource) && core.inventory.total() < core.bound()) {
                long now = core.time.nanoTime();
                core.sendBackIfLeaving(core.inventory.add(resource, now), now, after);
                core.serve(after);
            }
            return core.isUnwanted(resource) ? resourceOf(rival) : keepAside(resource, rival);
        });
    }

    /**
     * Keeps a resource aside as long as another one of the pool has its address.
     *
     * @return the other one; empty if there is none, and nothing changed
     */
    public Optional<Resource> keepAside(Resource resource) {
        return core.change(after -> keepAside(resource, core.inventory.rival(resource)));
    }

    private Optional<Resource> keepAside(Resource resource, @Nullable Slot rival) {
        if (rival != null) {
            core.aside.keep(core.factories.stamped(resource), rival.resource);
        }
        return resourceOf(rival);
    }

    private static Optional<Resource> resourceOf(@Nullable Slot slot) {
        return Optional.ofNullable(slot).map(there -> there.resource);
    }

    /**
     * Puts a leased resource of the database into the pool.
     *
     * @param young how long a list without the resource proves nothing: the lease may be younger than the outside's lists
     */
    public void adoptLent(Resource resource, OwnerKey owner, PodRef pod, Duration young) {
        core.update(after -> {
            long now = core.time.nanoTime();
            Slot slot = core.inventory.add(resource, now);
            slot.young = !young.isZero();
            slot.youngUntil = now + young.toNanos();
            core.inventory.lend(slot, owner, pod, now);
        });
    }

    /** Begins to compare the pool with what a factory is about to be asked for. */
    public FactoryListComparison compare(String maker) {
        return core.locked(() -> {
            FactoryListComparison begun = new FactoryListComparison(core, maker);
            core.comparisons.add(begun);
            return begun;
        });
    }

    /**
     * The outside lost a resource: it is never lent again, and goes as soon as it has no owner.
     *
     * @return what was lost; empty if the pool knows that already, or does not have it, or if the resource is so young
     *     that the outside may not show it yet
     */
    public Optional<ResourceLoss> invalidate(Resource resource) {
        return core.change(after -> {
            Slot slot = core.inventory.get(resource);
            if (slot != null && core.isYoung(slot)) {
                slot.missed = true;
                return Optional.empty();
            }
            return slot == null || slot.isGoing() ? Optional.empty() : Optional.of(core.lose(slot, after));
        });
    }

    /** Puts a resource whose disposal was begun before a restart into the pool. */
    public void adoptDisposing(Resource resource) {
        long now = core.time.nanoTime();
        core.update(after -> core.inventory.move(core.inventory.add(resource, now), DISPOSING, now));
    }

    /** The resource of the pool that has the id or an address of this one, which is not in the pool. */
    public Optional<Resource> rival(Resource resource) {
        return core.locked(() -> resourceOf(core.inventory.rival(resource)));
    }

    public Set<Resource> madeBy(String maker) {
        return core.locked(() -> core.inventory.slotsOf(maker).stream()
                .map(slot -> slot.resource)
                .collect(Collectors.toSet()));
    }

    /**
     * Decides what to create and what to dispose of, and records it: the creates as {@code CREATING}, the disposals as
     * {@code DISPOSING}. Every recorded create must be answered by {@link ProvisioningOutcomes#created} or
     * {@link ProvisioningOutcomes#createFailed}, every disposal, in the end, by {@link ProvisioningOutcomes#disposed}.
     *
     * @param ofPolicy the policy's target, before the override in force is applied
     * @param mayCreate false while creates are backing off
     */
    ProvisioningPlan plan(Target ofPolicy, boolean mayCreate) {
        return core.change(after -> {
            Target target = core.override.over(ofPolicy);
            String active = core.factories.active;
            // in long: a policy may ask for as many as it likes. Creates of other factories are not counted on: one
            // that leaves takes back what it makes, and one that comes may never make anything
            long missing = (long) core.queue.size()
                    + target.minIdle()
                    - core.inventory.idle().size()
                    - core.factories.creating(active);
            int wanted = core.closed ? 0 : (int) Math.max(0, Math.min(missing, core.headroom(active)));
            int creates = mayCreate ? wanted : 0;
            recordCreates(active, creates);
            // callers wait for lack of the factory's capacity, which others may have used and freed since
            boolean starving = missing - target.minIdle() > wanted && !core.closed;
            after.comparisonDue = starving && core.inventory.total() + core.aside.count() < core.bound();
            return new ProvisioningPlan(active, creates, leaving(target), wanted > creates);
        });
    }

    private List<Resource> leaving(Target target) {
        List<Slot> leaving = new ArrayList<>(core.releases.surplus(target));
        if (core.inventory.count(INVALID) > 0) {
            core.inventory.slots().stream()
                    .filter(slot -> slot.state == INVALID && slot.owner == null)
                    .forEach(leaving::add);
        }
        leaving.forEach(slot -> core.inventory.move(slot, DISPOSING, core.time.nanoTime()));
        leaving.addAll(core.departures);
        core.departures.clear();
        return leaving.stream().map(slot -> slot.resource).toList();
    }

    /** Sends back what has been idle for long, by {@link ReleaseRules#longIdle}. */
    public int reclaim(Duration idleFor, int most) {
        return core.change(after -> {
            List<Slot> chosen = core.releases.longIdle(idleFor, most);
            chosen.forEach(slot -> core.inventory.move(slot, DISPOSING, core.time.nanoTime()));
            core.departures.addAll(chosen);
            after.demand = !chosen.isEmpty();
            return chosen.size();
        });
    }

    /** Records creates of a factory that is about to take over. */
    int recordComing(String maker, int idle, int capacity) {
        return core.change(after -> {
            long there = core.inventory.slotsOf(maker).stream()
                    .filter(slot -> slot.state == IDLE)
                    .count();
            int creates = (int) Math.max(0, Math.min(idle - there, core.headroom(maker, capacity)));
            recordCreates(maker, creates);
            return creates;
        });
    }

    private void recordCreates(String maker, int creates) {
        if (creates > 0) {
            core.inventory.creating(maker, creates);
            core.factories.of(maker).unanswered += creates;
        }
    }

    /**
     * Sets watermarks and bound at once: no reader sees one without the others. A pool that holds more than it may from
     * now on makes no more, and gives back what is idle; what is lent stays lent until it is given back.
     *
     * @throws IllegalArgumentException unless {@code 0 <= minIdle <= maxIdle}
     */
    public void keep(Watermarks watermarks) {
        core.update(after -> {
            core.settings = core.settings.keeping(watermarks);
            core.inventory.touched();
            after.demand = true;
        });
    }

    /** Sets how much a factory can have, if it is the active one; less than it has now only stops creates. */
    public void capacity(String maker, int most) {
        core.update(after -> {
            int before = core.factories.activeCapacity;
            if (maker.equals(core.factories.active) && before != most) {
                core.factories.activeCapacity = most;
                core.inventory.touched();
                after.demand = true;
                after.capacityFreed = before < most;
            }
        });
    }

    /**
     * Gives an order in the place of the one in force.
     *
     * @param changes called outside the lock when a warm order is carried out, and when it is over; on any thread
     */
    public void capacityOverride(CapacityOverride order, Consumer<CapacityOverride> changes) {
        core.update(after -> {
            core.override.set(order, changes);
            after.demand = true;
        });
    }

    public CapacityOverride capacityOverride() {
        return core.change(after -> core.override.inForce());
    }

    public OverridePreview previewOverride(CapacityOverride order) {
        return core.change(after -> core.override.preview(order, core.watermarks()));
    }

    /** The watermarks as configured: the built-in policy's target. */
    Target watermarks() {
        return core.locked(core::watermarks);
    }
}

package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.PoolInspector.NumberedSnapshot;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.pool.Provisioner.ProvisioningBlock;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The resources of one kind and who has them: a state machine under one lock.
 *
 * <p><b>The lock.</b> One lock, in {@link PoolCore}, guards the queue, the {@link Inventory} and each {@link Slot}. An
 * acquire or a release holds it for some ten nanoseconds: nothing under it calls a policy, a factory, the database or a
 * caller's continuation. What a change makes necessary (waiters to answer, a timer to set, the provisioner to wake) is
 * gathered in a {@link DeferredEffects} while the lock is held and carried out after it was released. The clock is read
 * before the lock is taken, but where a hold's length begins: so the times of two slots may be in another order than their
 * changes, by as long as a caller waited for the lock. The order of idle slots is that of the list, and not of these times.
 * Whoever inspects the pool gets a copy of one moment, for which the lock is held for microseconds at a time
 * ({@link InventoryCopy}).
 *
 * <p><b>Capacity.</b> How much may still be created is derived from the counts each time it is asked, under the lock.
 * There are no tokens that could be lost or doubled: {@code CREATING} goes up in {@link PoolMembership#plan} and down
 * when the factory's answer arrives, and every slot is counted in exactly one state.
 *
 * <p><b>The queue.</b> A caller that finds nothing idle, or finds others waiting, queues. Whatever makes a resource
 * idle, a release, a create or the end of a hold, serves the queue's head before it lets go of the lock: so no caller
 * that comes later can overtake, and a waiter gets whichever comes first. The one exception is a pod's own reservation,
 * which no other caller could have got; {@link ReservationPreemption} decides when one goes to another pod after all. A
 * waiter leaves the queue once: served, timed out or failed; the thread that removed it under the lock is the one to
 * answer it, outside the lock. When a factory says that its configuration or its rights are wrong, every waiter fails
 * with that reason, and so does every caller that comes before the next try and would have to wait for it.
 *
 * <p><b>Picking.</b> The built-in policy takes the list's head in O(1). Any other policy is asked outside the lock on a
 * snapshot, and its answer counts only if no other caller was admitted meanwhile, to a resource or into the queue: else it is
 * asked again, on a newer snapshot, until the caller's time is over. So a policy that refuses beyond a number counts every pod
 * that was admitted before, and no caller waits for another one's answer. A chosen resource that is not idle any more is asked
 * for again, too; after {@value #PICK_TRIES} tries the longest idle one is taken.
 *
 * <p><b>Time.</b> Holds are kept by {@code nanoTime}, which does not jump; dates for display are derived from it when a
 * view is built.
 */
public final class ResourcePool {
    private static final int PICK_TRIES = 3;
    private static final String RELEASE = "a release";
    private static final Set<ResourceState> HELD = EnumSet.of(COOLING, RESERVED);

    private final PolicyGuard policy;
    private final PoolCore core;
    private final PoolMembership membership;
    private final PoolFactories factories;
    private final PoolRepair repair;
    private final PoolInspector inspector;

    /** A pool that knows of its pods their names alone. */
    public ResourcePool(
            TimeSource time, Scheduler scheduler, PoolSettings settings, PolicyGuard policy, PoolListener listener) {
        this(time, scheduler, settings, policy, listener, PodView::of);
    }

    /** @param pods a pod as a policy sees it; makes no request, and does not block */
    public ResourcePool(
            TimeSource time,
            Scheduler scheduler,
            PoolSettings settings,
            PolicyGuard policy,
            PoolListener listener,
            Function<PodRef, PodView> pods) {
        this.policy = policy;
        this.core = new PoolCore(time, scheduler, settings, listener, policy, pods);
        this.membership = new PoolMembership(core);
        this.factories = new PoolFactories(core);
        this.repair = new PoolRepair(core);
        this.inspector = new PoolInspector(core);
    }

    /** How resources come into this pool and leave it. */
    public PoolMembership membership() {
        return membership;
    }

    /** Factories and their part in the pool. */
    public PoolFactories factories() {
        return factories;
    }

    /** How the pool is put right by what others know. */
    public PoolRepair repair() {
        return repair;
    }

    /** What becomes of the creates and disposals that were planned. */
    ProvisioningOutcomes outcomes() {
        return new ProvisioningOutcomes(core);
    }

    /**
     * Lends a resource, at once if one can be had, else when the caller's turn has come.
     *
     * @return fails with {@code POOL_EXHAUSTED} when the timeout passes, with {@code TRY_AGAIN} when the pool is
     *     closed, with {@code CLOUD_FAILED} when no address can be made before an operator repairs something, with
     *     {@code REFUSED} when the policy refuses the pod
     */
    public CompletableFuture<Resource> acquire(OwnerKey owner, PodRef pod, Duration timeout) {
        return acquire(owner, PodView.of(pod), timeout, Span.NONE);
    }

    /** The same; the span gets {@code how} it was obtained, and of a waiter the {@code place} in the queue. */
    public CompletableFuture<Resource> acquire(OwnerKey owner, PodView pod, Duration timeout, Span span) {
        if (policy.builtIn()) {
            return Objects.requireNonNull(acquire(owner, pod, Wish.ANY, timeout, span));
        }
        Choice choice = new Choice(owner, pod, timeout, span);
        choice.choose();
        return choice.answer;
    }

    /** Lends one certain resource if it is idle and no caller waits, else any. */
    public CompletableFuture<Resource> acquirePreferred(
            OwnerKey owner, PodRef pod, ResourceId preferred, Duration timeout) {
        Wish wish = new Wish(preferred, PoolCore.ANY);
        return Objects.requireNonNull(acquire(owner, PodView.of(pod), wish, timeout, Span.NONE));
    }

    /**
     * Asks the policy which one to lend, and lends, or refuses. An answer about a pool that has admitted another caller since
     * is thrown away, and the policy asked again: whatever it counts, it has counted every pod that was admitted before.
     * Each time that happens, another caller was admitted.
     */
    private final class Choice {
        private final OwnerKey owner;
        private final PodView pod;
        private final Duration timeout;
        private final long deadline;
        private final CompletableFuture<Resource> answer = new CompletableFuture<>();
        private final Span span;
        private int tries;

        Choice(OwnerKey owner, PodView pod, Duration timeout, Span span) {
            this.owner = owner;
            this.pod = pod;
            this.timeout = timeout;
            this.deadline = core.time.nanoTime() + timeout.toNanos();
            this.span = span;
        }

        /** Whatever goes wrong on whichever thread ends the call. */
        void choose() {
            try {
                ask();
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        }

        private void ask() {
            if (policy.builtIn() || core.locked(() -> core.inventory.of(owner) != null)) {
                // what it has already it keeps, whatever the policy says now
                lend(null, PoolCore.ANY);
                return;
            }
            NumberedSnapshot pool = inspector.numbered();
            Span asked = span.step("POLICY").with("asked", "which one to lend");
            policy.pick(pool.snapshot(), pod, pick -> {
                try {
                    decided(pick, pool.admitted(), asked);
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
        }

        private void decided(Pick pick, long admitted, Span asked) {
            if (pick instanceof Pick.Refused refused) {
                asked.failed(refused.kind().name(), refused.message());
                answer.completeExceptionally(PoolErrors.refused(policy.name(), refused));
                return;
            }
            asked.done();
            if (!(pick instanceof Pick.Chosen chosen)) {
                lend(null, admitted);
            } else if (++tries == PICK_TRIES || isIdle(chosen.id())) {
                lend(chosen.id(), admitted);
            } else {
                again();
            }
        }

        private boolean isIdle(ResourceId id) {
            return core.locked(() -> core.inventory.idle(id) != null);
        }

        private void lend(@Nullable ResourceId preferred, long admitted) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - core.time.nanoTime()));
            CompletableFuture<Resource> lent = acquire(owner, pod, new Wish(preferred, admitted), left, span);
            if (lent == null) {
                again();
            } else {
                lent.whenComplete((resource, error) -> Stages.pass(answer, resource, error));
            }
        }

        private void again() {
            if (deadline - core.time.nanoTime() > 0) {
                core.scheduler.execute(this::choose);
            } else {
                answer.completeExceptionally(PoolErrors.undecided(pod.ref(), policy.name(), timeout));
            }
        }
    }

    /**
     * What a caller asks for.
     *
     * @param preferred this one, if it is idle and no caller waits; null for any
     * @param admitted how many callers must have been admitted so far, or {@link PoolCore#ANY}
     */
    private record Wish(@Nullable ResourceId preferred, long admitted) {
        static final Wish ANY = new Wish(null, PoolCore.ANY);
    }

    /** @return null if other callers were admitted than the wish says: then nothing has changed */
    private @Nullable CompletableFuture<Resource> acquire(
            OwnerKey owner, PodView asker, Wish wish, Duration timeout, Span span) {
        PodRef pod = asker.ref();
        ResourceId preferred = wish.preferred;
        Resource lent;
        String how;
        int place = 0;
        Waiter waiter = null;
        DeferredEffects after = new DeferredEffects();
        long now = core.time.nanoTime();
        core.lock.lock();
        try {
            if (core.closed) {
                return CompletableFuture.failedFuture(PoolErrors.closed());
            }
            if (wish.admitted != PoolCore.ANY && wish.admitted != core.admitted) {
                return null;
            }
            Slot mine = choose(owner, pod, preferred);
            Slot slot = mine == null && core.obstacle() != null ? core.inventory.nextReservation() : mine;
            how = how(slot, pod, preferred);
            ProvisioningBlock obstacle = slot == null ? core.obstacle() : null;
            if (obstacle != null) {
                return CompletableFuture.failedFuture(core.refusal(pod, obstacle));
            }
            if (slot == null) {
                core.admitted++;
                waiter = new Waiter(owner, asker, timeout, now, span);
                core.queue.add(waiter);
                place = core.queue.size();
                core.inventory.touched();
                lent = null;
                after.demand = true;
            } else {
                if (slot.owner == null) {
                    core.admitted++;
                    core.preemption.lending(slot, pod, after);
                    core.lend(slot, owner, pod, now);
                }
                lent = slot.resource;
                after.demand = core.offTarget();
            }
        } finally {
            core.lock.unlock();
        }
        span.with("how", how);
        if (waiter != null && span.isRecording()) {
            span.with("place", Integer.toString(place));
        }
        after.carryOut(core);
        if (waiter == null) {
            return CompletableFuture.completedFuture(lent);
        }
        core.armTimeout(waiter);
        return waiter.answer;
    }

    private static String how(@Nullable Slot slot, PodRef pod, @Nullable ResourceId preferred) {
        if (slot == null) {
            return "waited";
        }
        if (slot.owner != null) {
            return "held already";
        }
        if (slot.state == RESERVED) {
            return pod.equals(slot.pod)
                    ? "reserved for the pod"
                    : "reserved for another pod, and nothing else can be had";
        }
        return slot.resource.id().equals(preferred) ? "chosen by the policy" : "idle";
    }

    /** What the owner gets now: what it has, what is kept for its pod, what it asks for, or the longest idle. */
    private @Nullable Slot choose(OwnerKey owner, PodRef pod, @Nullable ResourceId preferred) {
        Slot had = core.inventory.of(owner);
        Slot own = had == null ? core.inventory.reservedFor(pod) : had;
        if (own != null || !core.queue.isEmpty()) {
            return own;
        }
        Slot wanted = preferred == null ? null : core.inventory.idle(preferred);
        return wanted != null ? wanted : core.inventory.idle().first();
    }

    /**
     * @param hold keeps it from others until its end; empty: it is idle at once
     * @return the state it is in now, or empty if the owner has nothing, or the pool knows it no more
     */
    public Optional<ResourceState> release(OwnerKey owner, Optional<Hold> hold) {
        DeferredEffects after = new DeferredEffects();
        long now = core.time.nanoTime();
        Slot slot;
        ResourceState state = null;
        core.lock.lock();
        try {
            slot = core.inventory.giveBack(owner);
            if (slot != null) {
                giveBack(slot, hold.orElse(null), now, after);
                state = slot.index == Slot.GONE ? null : slot.state;
            }
            core.admitAside(after);
        } finally {
            core.lock.unlock();
        }
        after.carryOut(core);
        return Optional.ofNullable(state);
    }

    private void giveBack(Slot slot, @Nullable Hold hold, long called, DeferredEffects after) {
        after.source = RELEASE;
        if (slot.state == IN_USE) {
            core.activity.returned(called);
            // a hold lasts its whole length from here, however long the lock was waited for
            core.backFromUse(slot, hold, hold == null ? called : core.time.nanoTime(), after);
        } else if (hold != null) {
            // lost while its hold was being written: nothing is held, and the row has to go
            slot.written(hold);
            after.ended(slot);
        }
        after.demand |= slot.state == INVALID || core.offTarget();
    }

    /**
     * Takes a resource back whose lease never came to be: a reservation it was taken from goes on as if nothing had
     * been, since its row is still on disk.
     */
    public void cancel(OwnerKey owner) {
        core.update(after -> {
            Slot slot = core.inventory.giveBack(owner);
            if (slot == null) {
                return;
            }
            after.source = RELEASE;
            long now = core.time.nanoTime();
            PodRef pod = slot.reservedFor;
            if (pod != null
                    && slot.state == IN_USE
                    && !core.isBarred(slot.resource)
                    && slot.until - now > 0
                    && core.inventory.reservedFor(pod) == null) {
                core.inventory.hold(slot, RESERVED, pod, slot.until, now);
                after.armHolds = true;
            } else {
                if (pod != null) {
                    after.ended(slot);
                }
                if (slot.state == IN_USE) {
                    core.becomeIdle(slot, now, after);
                    core.serve(after);
                }
            }
            after.demand |= slot.state == INVALID || core.offTarget();
        });
    }

    /** The ids of the resources that come from where a factory's do: its own, and those of factories of its provider. */
    public Set<ResourceId> idsOf(String maker) {
        return core.locked(() -> core.inventory.slots().stream()
                .map(slot -> slot.resource)
                .filter(resource -> core.factories.shareOrigin(maker, resource.factory()))
                .map(Resource::id)
                .collect(Collectors.toSet()));
    }

    /** The state of a resource, or empty if the pool does not have it. */
    public Optional<ResourceState> state(Resource resource) {
        return core.locked(
                () -> Optional.ofNullable(core.inventory.get(resource)).map(slot -> slot.state));
    }

    /** Whether a resource is in a state, also one that has been merged into another factory since it had this key. */
    public boolean isIn(ResourceState state, ResourceKey resource) {
        return core.locked(() -> core.inventory.isAny(
                resource.id(),
                slot -> slot.state == state
                        && core.factories.shareOrigin(resource.factory(), slot.resource.factory())));
    }

    /** Whether the hold with this key in the database is in force. */
    public boolean isHeld(ResourceKey row) {
        return core.locked(
                () -> core.inventory.isAny(row.id(), slot -> HELD.contains(slot.state) && row.equals(slot.holdRow())));
    }

    /** The key of the row that a resource's hold has in the database, if it has one. */
    public ResourceKey holdRow(Resource resource) {
        return core.locked(() -> {
            Slot slot = core.inventory.get(resource);
            return slot == null ? ResourceKey.of(resource) : slot.holdRow();
        });
    }

    /** Fails all callers in the queue, and those that come later. Releases still work. */
    public void close() {
        core.locked(core::close)
                .forEach(waiter ->
                        core.scheduler.execute(() -> waiter.answer.completeExceptionally(PoolErrors.closed())));
    }

    /** The pool for a policy. Made at most once between two changes, and every ten seconds. */
    public PoolSnapshot snapshot() {
        return inspector.snapshot();
    }

    /** The pool for an operator: every entry with owner, pod and the end of its state. */
    public PoolView view() {
        return inspector.view();
    }

    /** The longest time that the last view or snapshot kept callers out without a break. */
    public Duration longestHoldOfView() {
        return inspector.longestHold();
    }

    /** The pool in numbers, at the same cost whatever it holds. */
    public PoolSummary summary() {
        return inspector.summary();
    }

    /** The waiters, next first. */
    public List<WaiterView> queue() {
        return inspector.queue();
    }
}

package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The resources of one kind and who has them: a state machine under one lock.
 *
 * <p><b>The lock.</b> {@code lock} guards every field below it, the {@link Inventory} and each {@link Slot}. It is held for
 * microseconds: nothing under it calls a policy, a factory, the database or a caller's continuation. What a change makes
 * necessary (waiters to answer, a timer to set, the provisioner to wake) is gathered in an {@link Aftermath} while the
 * lock is held and carried out after it was released.
 *
 * <p><b>Room.</b> How much may still be created is derived from the counts each time it is asked, under the lock. There are
 * no tokens that could be lost or doubled: {@code CREATING} goes up in {@link #plan} and down when the factory's answer
 * arrives, and every slot is counted in exactly one state.
 *
 * <p><b>The queue.</b> A caller that finds nothing idle, or finds others waiting, queues. Whatever makes a resource idle, a
 * release, a create or the end of a hold, serves the queue's head before it lets go of the lock: so nobody who comes
 * later can overtake, and a waiter gets whichever comes first. The one exception is a pod's own reservation, which no
 * other caller could have got. A waiter leaves the queue once: served, timed out or turned away; whoever removed it under
 * the lock is the one to answer it, outside the lock.
 *
 * <p><b>Picking.</b> The built-in policy takes the list's head in O(1). Any other policy is asked outside the lock on a
 * snapshot, and its choice is taken only if it is still idle and nobody queued meanwhile; after {@value #PICK_TRIES} tries
 * the longest idle one is taken, so that a busy pool cannot starve a slow policy's caller.
 *
 * <p><b>Time.</b> Holds are kept by {@code nanoTime}, which does not jump; the dates people see are derived from it when a
 * view is built.
 */
public final class ResourcePool {
    private static final int PICK_TRIES = 3;

    private final TimeSource time;
    private final Scheduler scheduler;
    private final PoolSettings settings;
    private final PolicyGuard policy;
    private final PoolListener listener;
    private final boolean builtIn;

    private final ReentrantLock lock = new ReentrantLock();
    private final Inventory inventory = new Inventory();
    private final LinkedHashSet<Waiter> queue = new LinkedHashSet<>();
    private int capacity;
    private boolean closed;
    private String lastCreateFailure = "";
    private Scheduler.@Nullable Cancellable holdTimer;
    private long holdTimerAt;
    private @Nullable PoolSnapshot cached;
    private long cachedVersion = -1;

    public ResourcePool(
            TimeSource time, Scheduler scheduler, PoolSettings settings, PolicyGuard policy, PoolListener listener) {
        this.time = time;
        this.scheduler = scheduler;
        this.settings = settings;
        this.policy = policy;
        this.listener = listener;
        this.builtIn = policy.builtIn();
    }

    /**
     * Lends a resource, at once if one can be had, else when the caller's turn has come.
     *
     * @param timeout how long to wait in the queue
     * @return fails with {@code POOL_EXHAUSTED} when the timeout passes, with {@code TRY_AGAIN} when the pool is closed
     */
    public CompletableFuture<Resource> acquire(OwnerKey owner, PodRef pod, Duration timeout) {
        return acquire(owner, pod, builtIn ? null : askPolicy(pod), timeout);
    }

    /**
     * Lends one certain resource if it is idle and nobody waits, else any.
     *
     * @param preferred the resource wished for
     */
    public CompletableFuture<Resource> acquirePreferred(
            OwnerKey owner, PodRef pod, ResourceId preferred, Duration timeout) {
        return acquire(owner, pod, preferred, timeout);
    }

    private @Nullable ResourceId askPolicy(PodRef pod) {
        for (int tries = 0; tries < PICK_TRIES; tries++) {
            PoolSnapshot snapshot = snapshot();
            if (snapshot.waiting() > 0 || snapshot.count(IDLE) == 0) {
                return null;
            }
            if (!(policy.pick(snapshot, pod) instanceof Pick.Chosen chosen)) {
                return null;
            }
            if (stillIdle(chosen.id())) {
                return chosen.id();
            }
        }
        return null;
    }

    private CompletableFuture<Resource> acquire(
            OwnerKey owner, PodRef pod, @Nullable ResourceId wish, Duration timeout) {
        Resource lent;
        boolean demand;
        Waiter waiter = null;
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(Refusal.closed());
            }
            Slot slot = choose(owner, pod, wish);
            if (slot == null) {
                waiter = new Waiter(owner, pod, timeout);
                queue.add(waiter);
                inventory.touched();
                lent = null;
                demand = true;
            } else {
                if (slot.owner == null) {
                    inventory.lend(slot, owner, pod, time.nanoTime());
                }
                lent = slot.resource;
                demand = offTarget();
            }
        } finally {
            lock.unlock();
        }
        if (demand) {
            listener.demandChanged();
        }
        if (waiter == null) {
            return CompletableFuture.completedFuture(lent);
        }
        armTimeout(waiter);
        return waiter.answer;
    }

    /** What the owner gets now: what it has, what is kept for its pod, what it wishes for, or the longest idle. */
    private @Nullable Slot choose(OwnerKey owner, PodRef pod, @Nullable ResourceId wish) {
        Slot had = inventory.of(owner);
        if (had != null) {
            return had;
        }
        Slot reserved = inventory.reservedFor(pod);
        if (reserved != null) {
            return reserved;
        }
        if (!queue.isEmpty()) {
            return null;
        }
        if (wish != null) {
            Slot wished = inventory.get(wish);
            if (wished != null && wished.state == IDLE) {
                return wished;
            }
        }
        return inventory.idle().first();
    }

    /**
     * Takes a resource back.
     *
     * @param hold keeps it from others until its end; empty: it is idle at once
     * @return the state it is in now, or empty if the owner has nothing
     */
    public Optional<ResourceState> release(OwnerKey owner, Optional<Hold> hold) {
        Aftermath after = new Aftermath();
        ResourceState state;
        lock.lock();
        try {
            Slot slot = inventory.giveBack(owner);
            if (slot == null) {
                return Optional.empty();
            }
            if (slot.state == IN_USE) {
                backFromUse(slot, hold.orElse(null), after);
            }
            state = slot.state;
            after.demand = state == INVALID || offTarget();
        } finally {
            lock.unlock();
        }
        carryOut(after);
        return Optional.of(state);
    }

    /**
     * Takes a resource back whose lease never came to be: a reservation it was taken from goes on as if nothing had been,
     * since its row is still on disk.
     */
    public void cancel(OwnerKey owner) {
        Aftermath after = new Aftermath();
        lock.lock();
        try {
            Slot slot = inventory.giveBack(owner);
            if (slot == null) {
                return;
            }
            if (slot.state == IN_USE) {
                long now = time.nanoTime();
                PodRef pod = slot.pod;
                if (slot.wasReserved && pod != null && slot.until - now > 0 && inventory.reservedFor(pod) == null) {
                    inventory.hold(slot, RESERVED, pod, slot.until, now);
                    after.armHolds = true;
                } else {
                    if (slot.wasReserved) {
                        after.ended.add(slot.resource.id());
                    }
                    inventory.move(slot, IDLE, now);
                    serve(after);
                }
            }
            after.demand = offTarget();
        } finally {
            lock.unlock();
        }
        carryOut(after);
    }

    private void backFromUse(Slot slot, @Nullable Hold hold, Aftermath after) {
        long now = time.nanoTime();
        long left =
                hold == null ? 0 : Duration.between(time.now(), hold.until()).toNanos();
        if (hold == null || left <= 0) {
            inventory.move(slot, IDLE, now);
            serve(after);
            return;
        }
        // a pod has one reservation at most; a second address of its goes through an ordinary cool-down
        boolean reserve = hold.purpose() == Hold.Purpose.RESERVED && inventory.reservedFor(hold.pod()) == null;
        inventory.hold(slot, reserve ? RESERVED : COOLING, hold.pod(), now + left, now);
        after.armHolds = true;
    }

    /** Puts an idle or held resource that start-up found into the pool. */
    public void adopt(Resource resource, Optional<Hold> hold) {
        Aftermath after = new Aftermath();
        lock.lock();
        try {
            Slot slot = inventory.add(resource, time.nanoTime());
            if (hold.isPresent()) {
                inventory.move(slot, IN_USE, time.nanoTime());
                backFromUse(slot, hold.get(), after);
            }
            serve(after);
        } finally {
            lock.unlock();
        }
        carryOut(after);
    }

    /**
     * Puts a leased resource that start-up found into the pool.
     *
     * @param exists false if the cloud no longer has it: its owner keeps it, and nobody gets it afterwards
     */
    public void adoptLent(Resource resource, OwnerKey owner, PodRef pod, boolean exists) {
        lock.lock();
        try {
            Slot slot = inventory.add(resource, time.nanoTime());
            inventory.lend(slot, owner, pod, time.nanoTime());
            if (!exists) {
                inventory.move(slot, INVALID, time.nanoTime());
            }
        } finally {
            lock.unlock();
        }
    }

    /** The ids of everything in the pool now. */
    public Set<ResourceId> ids() {
        lock.lock();
        try {
            return inventory.slots().stream().map(slot -> slot.resource.id()).collect(Collectors.toSet());
        } finally {
            lock.unlock();
        }
    }

    /** The state of a resource, or empty if the pool does not have it. */
    public Optional<ResourceState> state(ResourceId id) {
        lock.lock();
        try {
            return Optional.ofNullable(inventory.get(id)).map(slot -> slot.state);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The outside lost a resource: it is never lent again, and goes as soon as nobody has it.
     *
     * @return who has it, if somebody has
     */
    public Optional<OwnerKey> invalidate(ResourceId id) {
        OwnerKey owner;
        lock.lock();
        try {
            Slot slot = inventory.get(id);
            if (slot == null || slot.state == INVALID || slot.state == DISPOSING) {
                return Optional.empty();
            }
            inventory.move(slot, INVALID, time.nanoTime());
            owner = slot.owner;
        } finally {
            lock.unlock();
        }
        listener.demandChanged();
        return Optional.ofNullable(owner);
    }

    /** Puts a resource whose disposal was begun before a restart into the pool. */
    public void adoptDisposing(Resource resource) {
        lock.lock();
        try {
            inventory.move(inventory.add(resource, time.nanoTime()), DISPOSING, time.nanoTime());
        } finally {
            lock.unlock();
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
        lock.lock();
        try {
            int missing =
                    queue.size() + target.minIdle() - inventory.idle().size() - inventory.count(ResourceState.CREATING);
            int wanted = closed ? 0 : Math.max(0, Math.min(missing, capacity - inventory.total()));
            int creates = mayCreate ? wanted : 0;
            if (creates > 0) {
                inventory.creating(creates);
            }
            List<Slot> victims = new ArrayList<>();
            for (Slot slot : inventory.slots()) {
                if (slot.state == INVALID && slot.owner == null) {
                    victims.add(slot);
                }
            }
            if (queue.isEmpty() && !closed) {
                int surplus = inventory.idle().size() - target.maxIdle();
                victims.addAll(Surplus.choose(inventory, surplus, target.shedFirst()));
            }
            victims.forEach(slot -> inventory.move(slot, DISPOSING, time.nanoTime()));
            return new Plan(creates, victims.stream().map(slot -> slot.resource).toList(), wanted > creates);
        } finally {
            lock.unlock();
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
        lock.lock();
        try {
            if (booked) {
                inventory.creating(-1);
            }
            lastCreateFailure = "";
            if (inventory.get(resource.id()) != null) {
                return true;
            }
            if (inventory.total() >= capacity) {
                return false;
            }
            inventory.add(resource, time.nanoTime());
            serve(after);
            after.demand = true;
        } finally {
            lock.unlock();
        }
        carryOut(after);
        return true;
    }

    /** A create failed. The reason is told to callers that time out. */
    void createFailed(String reason) {
        lock.lock();
        try {
            inventory.creating(-1);
            lastCreateFailure = reason;
        } finally {
            lock.unlock();
        }
    }

    /** A disposal succeeded: the resource is gone. */
    void disposed(ResourceId id) {
        lock.lock();
        try {
            Slot slot = inventory.get(id);
            if (slot == null || slot.state != DISPOSING) {
                return;
            }
            inventory.remove(slot);
        } finally {
            lock.unlock();
        }
        listener.demandChanged();
    }

    /** Sets how much the pool may hold in all states together; less than it holds now only stops creates. */
    public void capacity(int most) {
        lock.lock();
        try {
            capacity = most;
            inventory.touched();
        } finally {
            lock.unlock();
        }
        listener.demandChanged();
    }

    /** Turns everybody in the queue away, and everybody who comes later. Releases still work. */
    public void close() {
        List<Waiter> turnedAway;
        lock.lock();
        try {
            closed = true;
            turnedAway = List.copyOf(queue);
            queue.clear();
            cancel(holdTimer);
            turnedAway.forEach(waiter -> cancel(waiter.timer));
        } finally {
            lock.unlock();
        }
        turnedAway.forEach(waiter -> scheduler.execute(() -> waiter.answer.completeExceptionally(Refusal.closed())));
    }

    /** The pool for a policy. Built at most once between two changes. */
    public PoolSnapshot snapshot() {
        lock.lock();
        try {
            PoolSnapshot known = cached;
            if (known != null && cachedVersion == inventory.version()) {
                return known;
            }
            PoolSnapshot fresh = portrait().snapshot(settings, capacity, queue.size(), inventory);
            cached = fresh;
            cachedVersion = inventory.version();
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    /** The pool for a person: every entry with owner, pod and the end of its state. */
    public PoolView view() {
        lock.lock();
        try {
            return portrait().view(settings, policy.name(), capacity, queue.size(), inventory);
        } finally {
            lock.unlock();
        }
    }

    /** The watermarks as configured: the built-in policy's target. */
    Target watermarks() {
        return Target.between(settings.minIdle(), settings.maxIdle());
    }

    private Portrait portrait() {
        return new Portrait(time.now(), time.nanoTime());
    }

    private boolean stillIdle(ResourceId id) {
        lock.lock();
        try {
            Slot slot = inventory.get(id);
            return slot != null && slot.state == IDLE;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the watermarks may call for a create or a disposal; any policy but the built-in one has to be asked. */
    private boolean offTarget() {
        int free = inventory.idle().size();
        return !builtIn || free < settings.minIdle() || free > settings.maxIdle();
    }

    private void serve(Aftermath after) {
        while (!queue.isEmpty()) {
            Slot slot = inventory.idle().first();
            if (slot == null) {
                return;
            }
            Iterator<Waiter> line = queue.iterator();
            Waiter waiter = line.next();
            line.remove();
            inventory.lend(slot, waiter.owner, waiter.pod, time.nanoTime());
            cancel(waiter.timer);
            after.served.add(new Aftermath.Served(waiter, slot.resource));
        }
    }

    private void armTimeout(Waiter waiter) {
        Scheduler.Cancellable timer = scheduler.after(waiter.timeout, () -> timedOut(waiter));
        lock.lock();
        try {
            if (queue.contains(waiter)) {
                waiter.timer = timer;
                return;
            }
        } finally {
            lock.unlock();
        }
        timer.cancel();
    }

    private void timedOut(Waiter waiter) {
        Throwable error;
        lock.lock();
        try {
            if (!queue.remove(waiter)) {
                return;
            }
            inventory.touched();
            error = Refusal.exhausted(waiter, capacity, inventory, lastCreateFailure);
        } finally {
            lock.unlock();
        }
        waiter.answer.completeExceptionally(error);
    }

    private void holdsDue() {
        Aftermath after = new Aftermath();
        lock.lock();
        try {
            holdTimer = null;
            long now = time.nanoTime();
            Slot slot = inventory.nextHold();
            while (slot != null && slot.until - now <= 0) {
                inventory.move(slot, IDLE, now);
                after.ended.add(slot.resource.id());
                slot = inventory.nextHold();
            }
            serve(after);
            after.armHolds = true;
            after.demand = offTarget();
        } finally {
            lock.unlock();
        }
        carryOut(after);
    }

    private void armHolds() {
        lock.lock();
        try {
            Slot next = inventory.nextHold();
            if (next == null || closed) {
                return;
            }
            if (holdTimer != null) {
                if (holdTimerAt - next.until <= 0) {
                    return;
                }
                cancel(holdTimer);
            }
            holdTimerAt = next.until;
            Duration left = Duration.ofNanos(Math.max(0, next.until - time.nanoTime()));
            holdTimer = scheduler.after(left, this::holdsDue);
        } finally {
            lock.unlock();
        }
    }

    private void carryOut(Aftermath after) {
        for (Aftermath.Served served : after.served) {
            scheduler.execute(() -> served.waiter().answer.complete(served.resource()));
        }
        if (after.armHolds) {
            armHolds();
        }
        if (!after.ended.isEmpty()) {
            listener.holdsEnded(after.ended);
        }
        if (after.demand) {
            listener.demandChanged();
        }
    }

    private static void cancel(Scheduler.@Nullable Cancellable timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}

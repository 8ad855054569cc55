package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.FactoryListComparison.ResourceLoss;
import io.enipam.engine.pool.PoolListener.HoldExpired;
import io.enipam.engine.pool.Provisioner.ProvisioningBlock;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the sides of the pool share: the lock, the state under it, and the rules by which idle resources meet waiters and
 * holds end. {@link ResourcePool} lends from it, {@link PoolMembership} fills it; {@link ResourcePool} describes both.
 * Every field that is not final, and every collection, is guarded by the lock. Methods are called with the lock held,
 * but for those that take it ({@link #update}, {@link #change}, {@link #locked}) and those of timers, which say so.
 */
final class PoolCore {
    /** Stands for any number of {@link #admitted} callers. */
    static final long ANY = -1;

    /** Beyond any that is meant; the difference of two moments of the pool's clock has to fit into a long. */
    private static final Duration LONGEST_HOLD = Duration.ofDays(50 * 366);

    final TimeSource time;
    final Scheduler scheduler;
    final PoolListener listener;
    final PolicyGuard policy;
    /** A pod as a policy sees it; makes no request, and does not block. */
    final Function<PodRef, PodView> pods;

    final PoolLock lock = new PoolLock();
    final FactoryStates factories;
    final Inventory inventory;
    final ActivityMeter activity;
    final ActiveOverride override;
    final ReleaseRules releases = new ReleaseRules(this);
    final ReservationPreemption preemption = new ReservationPreemption(this);
    /** What goes back to its maker at the next plan. */
    final List<Slot> departures = new ArrayList<>();
    /** What goes back to its maker without ever having been in the pool: by id the makers. */
    private final Map<ResourceId, Set<String>> unwanted = new HashMap<>();
    /** What waits for another resource with its address to leave the pool. */
    final AddressConflicts aside;
    /** Comparisons with a factory's list that are under way. */
    final List<FactoryListComparison> comparisons = new ArrayList<>(1);
    /** Addresses that sandboxes use without the pool's knowledge. */
    final Set<InetAddress> barred = new HashSet<>();

    final LinkedHashSet<Waiter> queue = new LinkedHashSet<>();
    /** Other watermarks and another bound come together. */
    PoolSettings settings;

    boolean closed;
    /** Why the last create failed, for callers that time out; empty after one that succeeded. */
    String lastCreateFailure = "";

    /** Since when the oldest create that has not come is waited for. Asked without the lock. */
    volatile Supplier<Optional<Instant>> oldestCreate = Optional::empty;

    /** Why nothing can be made for now; null if something can. */
    @Nullable
    ProvisioningBlock blockade;

    private Scheduler.@Nullable Cancellable holdTimer;
    private long holdTimerAt;

    /** How many callers have got a resource or a place in the queue so far; each of them is a change of the inventory, too. */
    long admitted;

    PoolCore(
            TimeSource time,
            Scheduler scheduler,
            PoolSettings settings,
            PoolListener listener,
            PolicyGuard policy,
            Function<PodRef, PodView> pods) {
        this.time = time;
        this.scheduler = scheduler;
        this.settings = settings;
        this.listener = listener;
        this.policy = policy;
        this.pods = pods;
        this.factories = new FactoryStates(settings.factory(), settings.kind());
        this.inventory = new Inventory(factories, settings::fits);
        this.aside = new AddressConflicts(factories);
        this.override = new ActiveOverride(this);
        this.activity = new ActivityMeter(time.nanoTime());
    }

    /** Makes a change under the lock, and carries out what follows from it without. */
    void update(Consumer<DeferredEffects> change) {
        change(after -> {
            change.accept(after);
            return true;
        });
    }

    /** The same, with a result. */
    <T> T change(Function<DeferredEffects, T> change) {
        DeferredEffects after = new DeferredEffects();
        T result = locked(() -> {
            T changed = change.apply(after);
            admitAside(after);
            return changed;
        });
        after.carryOut(this);
        return result;
    }

    /** Does what nothing has to be carried out after. */
    <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** The most there may be of all factories together. */
    int bound() {
        return settings.keep().capacity();
    }

    /** The most there may be now. What other factories made does not count towards the active one's capacity. */
    int capacity() {
        int others = inventory.total() - factories.total(factories.active);
        return (int) Math.min(bound(), (long) factories.activeCapacity + others);
    }

    /** Whether a sandbox uses the resource without the pool's knowledge. */
    boolean isBarred(Resource resource) {
        return !barred.isEmpty() && resource.addresses().stream().anyMatch(address -> barred.contains(address.ip()));
    }

    /** How much more may be created of a factory. */
    int headroom(String maker) {
        return headroom(maker, maker.equals(factories.active) ? factories.activeCapacity : Integer.MAX_VALUE);
    }

    /** How much more may be created of a factory with this capacity. */
    int headroom(String maker, int capacityOfMaker) {
        long ofMaker = (long) capacityOfMaker - factories.total(maker) - aside.count(it -> isOf(maker, it));
        return (int) Math.max(0, Math.min((long) bound() - inventory.total() - aside.count(), ofMaker));
    }

    /** Whether a list that does not show the resource may just be late. */
    boolean isYoung(Slot slot) {
        return slot.young && slot.owner != null && slot.youngUntil - time.nanoTime() > 0;
    }

    /** Whether a factory made the resource, or has it now. */
    boolean isOf(String maker, Resource resource) {
        return factories.ownerOf(resource.factory()).equals(factories.ownerOf(maker));
    }

    /** What was kept aside joins the pool once the resource that had its address has left. */
    void admitAside(DeferredEffects after) {
        if (aside.count() == 0 || closed) {
            return;
        }
        aside.take(resource -> !factories.knows(factories.ownerOf(resource.factory())));
        List<Resource> free = aside.take(resource -> inventory.rival(resource) == null && !isBarred(resource));
        if (free.isEmpty()) {
            return;
        }
        long now = time.nanoTime();
        for (Resource resource : free) {
            String maker = factories.ownerOf(resource.factory());
            if (headroom(maker) == 0) {
                unwanted(resource);
                after.news(to -> to.unwanted(resource));
                drainedPerhaps(maker, after);
                continue;
            }
            Slot slot = inventory.add(resource, now);
            slot.fromList = true;
            sendBackIfLeaving(slot, now, after);
            after.news(to -> to.admitted(resource));
        }
        after.source = "an address that was kept aside";
        after.demand = true;
        serve(after);
    }

    /**
     * What stands between a caller and an address that has to be made for it. Null while one is being
     * made or the capacity is used up: then waiting makes sense.
     */
    @Nullable
    ProvisioningBlock obstacle() {
        ProvisioningBlock known = blockade;
        boolean vain = known != null
                && known.untilNanos() - time.nanoTime() > 0
                && factories.creating(factories.active) == 0
                && headroom(factories.active) > 0;
        return vain ? known : null;
    }

    /** Waiters of what cannot be made are refused. */
    void refuseIfBlocked(DeferredEffects after) {
        ProvisioningBlock obstacle = obstacle();
        if (obstacle == null) {
            return;
        }
        serve(after);
        for (Waiter waiter : queue) {
            cancel(waiter.timer);
            after.refused(waiter, refusal(waiter.pod, obstacle));
        }
        if (!queue.isEmpty()) {
            queue.clear();
            inventory.touched();
        }
    }

    IpamException refusal(PodRef pod, ProvisioningBlock obstacle) {
        return PoolErrors.blocked(pod, obstacle, Duration.ofNanos(obstacle.untilNanos() - time.nanoTime()));
    }

    /**
     * The slot has no owner any more. It is idle, or, if its maker leaves, on its way back; or
     * forgotten, if a sandbox uses its address without the pool's knowledge.
     */
    void becomeIdle(Slot slot, long now, DeferredEffects after) {
        if (isBarred(slot.resource)) {
            forget(slot, after);
            return;
        }
        inventory.move(slot, IDLE, now);
        sendBackIfLeaving(slot, now, after);
    }

    /** The pool knows nothing of an address that a stray uses, until a comparison finds whose it is. */
    void forget(Slot slot, DeferredEffects after) {
        inventory.remove(slot);
        after.demand = true;
    }

    /** Of an idle slot. */
    void sendBackIfLeaving(Slot slot, long now, DeferredEffects after) {
        if (slot.missed || isLeaving(slot)) {
            inventory.move(slot, DISPOSING, now);
            departures.add(slot);
            after.demand = true;
        }
    }

    /** Whether it is allocated no more: its maker leaves, or it has not the families of the pool. */
    private boolean isLeaving(Slot slot) {
        return !slot.fits || (factories.anyLeaving() && factories.isLeaving(slot.resource.factory()));
    }

    /** A resource has been disposed of. A list that is under way may still show it. */
    void gone(Resource resource) {
        comparisons.forEach(comparison -> comparison.gone(resource));
    }

    void unwanted(Resource resource) {
        unwanted.computeIfAbsent(resource.id(), id -> new HashSet<>(1)).add(resource.factory());
    }

    boolean isUnwanted(Resource resource) {
        return unwanted.getOrDefault(resource.id(), Set.of()).stream()
                .anyMatch(maker -> factories.shareOrigin(maker, resource.factory()));
    }

    void unwantedGone(Resource resource) {
        unwanted.computeIfPresent(resource.id(), (id, makers) -> {
            makers.remove(resource.factory());
            return makers.isEmpty() ? null : makers;
        });
        gone(resource);
    }

    ResourceLoss lose(Slot slot, DeferredEffects after) {
        ResourceLoss loss = ResourceLoss.of(slot);
        if (slot.state == COOLING || slot.state == RESERVED) {
            after.ended(slot);
        }
        inventory.move(slot, INVALID, time.nanoTime());
        after.capacityFreed = true;
        after.demand = true;
        return loss;
    }

    /** Whether a slot ends by itself, and no pod has or gets its address. */
    static boolean isEnding(Slot slot) {
        return slot.owner == null && (slot.state == DISPOSING || slot.lost);
    }

    /** After a leaving factory may have got rid of its last. */
    void drainedPerhaps(String maker, DeferredEffects after) {
        // what was made by one that was merged into another is the other one's
        if (aside.count(it -> factories.ownerOf(it.factory()).equals(maker)) == 0 && factories.drained(maker)) {
            after.drained(maker);
        }
    }

    /** A create that was asked of a factory is over. */
    void answered(String maker, DeferredEffects after) {
        factories.of(maker).unanswered--;
        drainedPerhaps(maker, after);
    }

    /** What was lent is held for the whole length of its hold, or is idle and offered to the queue. */
    void backFromUse(Slot slot, @Nullable Hold hold, long now, DeferredEffects after) {
        slot.young = false;
        if (hold != null) {
            slot.written(hold);
        }
        if (hold != null && slot.missed) {
            becomeIdle(slot, now, after);
            after.ended(slot);
            return;
        }
        // by its length and not by its date: writing the hold takes time, and the clock may have been set meanwhile
        Duration left = hold == null ? Duration.ZERO : hold.length().isZero() ? hold.left(time.now()) : hold.length();
        held(slot, hold, nanos(left), now, after);
    }

    /** A hold of the database goes on, or is over and the resource idle and offered to the queue. */
    void heldSinceEarlier(Slot slot, Hold hold, long now, DeferredEffects after) {
        slot.written(hold);
        held(slot, hold, nanos(hold.left(time.now())), now, after);
    }

    private void held(Slot slot, @Nullable Hold hold, long left, long now, DeferredEffects after) {
        if (hold == null || left <= 0) {
            becomeIdle(slot, now, after);
            serve(after);
            return;
        }
        // a pod has one reservation at most; a second address of its goes through an ordinary cool-down
        boolean reserve = hold.purpose() == Hold.Purpose.RESERVED && inventory.reservedFor(hold.pod()) == null;
        if (isBarred(slot.resource) || (!reserve && isLeaving(slot))) {
            // a cool-down is for the next pod that gets the address, and there is none
            becomeIdle(slot, now, after);
            after.ended(slot);
            return;
        }
        inventory.hold(slot, reserve ? RESERVED : COOLING, hold.pod(), now + left, now);
        after.armHolds = true;
        serve(after);
    }

    /** In nanoseconds. A record that holds for centuries shall not stop the start that reads it. */
    private static long nanos(Duration left) {
        return left.compareTo(LONGEST_HOLD) > 0 ? LONGEST_HOLD.toNanos() : left.toNanos();
    }

    Target watermarks() {
        return Target.between(settings.minIdle(), settings.maxIdle());
    }

    /** Whether the watermarks may call for a create or disposal; any policy but the built-in one is asked. */
    boolean offTarget() {
        if (!departures.isEmpty() || !policy.builtIn()) {
            return true;
        }
        int free = inventory.idle().size();
        if (override.isNone()) {
            return free < settings.minIdle() || free > settings.maxIdle();
        }
        Target target = override.over(watermarks());
        return free < target.minIdle() || free > target.maxIdle();
    }

    void lend(Slot slot, OwnerKey owner, PodRef pod, long now) {
        inventory.lend(slot, owner, pod, now);
        activity.lent(now);
    }

    /** Pairs idle resources with waiters, in the queue's order, and then what is left as a last resort. */
    void serve(DeferredEffects after) {
        while (!queue.isEmpty()) {
            Slot idle = inventory.idle().first();
            Slot slot = idle == null ? preemption.ofQueue() : idle;
            if (slot == null) {
                return;
            }
            Iterator<Waiter> line = queue.iterator();
            Waiter waiter = line.next();
            line.remove();
            preemption.lending(slot, waiter.pod, after);
            lend(slot, waiter.owner, waiter.pod, time.nanoTime());
            cancel(waiter.timer);
            after.served(waiter, slot.resource);
        }
    }

    /** Without the lock: sets the end of a waiter's grace time, and then its deadline, unless it was served already. */
    void armTimeout(Waiter waiter) {
        Duration patience = ReservationPreemption.graceTime(waiter.timeout);
        arm(waiter, patience, () -> {
            impatient(waiter);
            arm(waiter, waiter.timeout.minus(patience), () -> timedOut(waiter));
        });
    }

    /** Without the lock. */
    private void arm(Waiter waiter, Duration delay, Runnable task) {
        Scheduler.Cancellable timer = scheduler.after(delay, task);
        boolean waits = locked(() -> {
            waiter.timer = timer;
            return queue.contains(waiter);
        });
        if (!waits) {
            timer.cancel();
        }
    }

    /** Without the lock. */
    private void impatient(Waiter waiter) {
        update(after -> {
            after.source = "a reservation of another pod";
            waiter.impatient = true;
            serve(after);
        });
    }

    /** Without the lock. */
    private void timedOut(Waiter waiter) {
        Optional<Duration> unanswered = oldestCreate.get().map(since -> Duration.between(since, time.now()));
        Optional<IpamException> refusal = locked(() -> {
            if (!queue.remove(waiter)) {
                return Optional.empty();
            }
            inventory.touched();
            return Optional.of(PoolErrors.exhausted(waiter, capacity(), inventory, lastCreateFailure, unanswered));
        });
        refusal.ifPresent(waiter.answer::completeExceptionally);
    }

    /** Without the lock. */
    private void holdsDue() {
        update(after -> {
            after.source = "the end of a hold";
            holdTimer = null;
            long now = time.nanoTime();
            for (Slot slot = inventory.nextHold(); slot != null && slot.until - now <= 0; slot = inventory.nextHold()) {
                ResourceState was = slot.state;
                Optional<PodRef> pod = Optional.ofNullable(slot.pod);
                becomeIdle(slot, now, after);
                after.ended(slot);
                HoldExpired lapse = new HoldExpired(slot.resource, pod, was, slot.state);
                after.news(to -> to.holdLapsed(lapse));
            }
            serve(after);
            after.armHolds = true;
            after.demand |= offTarget();
        });
    }

    /** Without the lock: sets the timer for the hold that ends first. */
    void armHolds() {
        lock.lock();
        try {
            Slot next = inventory.nextHold();
            if (next != null && !closed && (holdTimer == null || holdTimerAt - next.until > 0)) {
                cancel(holdTimer);
                holdTimerAt = next.until;
                Duration left = Duration.ofNanos(Math.max(0, next.until - time.nanoTime()));
                holdTimer = scheduler.after(left, this::holdsDue);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets no hold end by itself any more, and takes the waiters out of the queue, for the caller to answer. */
    List<Waiter> close() {
        closed = true;
        cancel(holdTimer);
        List<Waiter> waiting = List.copyOf(queue);
        queue.clear();
        waiting.forEach(waiter -> cancel(waiter.timer));
        return waiting;
    }

    static void cancel(Scheduler.@Nullable Cancellable timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}

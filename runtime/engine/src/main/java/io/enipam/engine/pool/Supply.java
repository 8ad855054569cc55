package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Failed;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The pool's other side: how resources come into it and leave it. Start-up adopts what it found; the {@link Provisioner}
 * plans creates and disposals and reports their outcomes. Thread-safe, under the pool's lock.
 */
public final class Supply {
    private final PoolCore core;

    Supply(PoolCore core) {
        this.core = core;
    }

    /** What became of a resource that a factory delivered. */
    enum Arrival {
        /** It is in the pool; if its maker leaves, on its way back already. */
        TAKEN,
        /** It came too late, and there is no room for it: it goes back, and then {@link #answeredLate} is called. */
        NO_ROOM,
        /** A list brought it into the pool before this answer came. */
        LISTED,
        /** It is the one that somebody has lost or uses unknown to the pool, or that is on its way back: the next comparison says what becomes of it. */
        NOT_FREE,
        /** The pool has one of this id or address: the factory is wrong, and whoever has that one keeps it. */
        KNOWN
    }

    /** Puts an idle or held resource that start-up found into the pool. */
    public void adopt(Resource resource, Optional<Hold> hold) {
        change(after -> {
            long now = core.time.nanoTime();
            Slot slot = core.inventory.add(resource, now);
            if (hold.isPresent()) {
                core.inventory.move(slot, IN_USE, now);
                core.backFromUse(slot, hold.get(), now, after);
            } else {
                core.sendBackIfLeaving(slot, now, after);
            }
            core.serve(after);
            return true;
        });
    }

    /**
     * Puts an idle resource that a factory listed into the pool, unless the pool is full or has one of this id or address.
     *
     * @return the one that the pool has
     */
    Optional<Resource> adoptNew(Resource resource) {
        return change(after -> {
            Slot rival = core.inventory.rival(resource);
            if (rival == null && !core.isBarred(resource) && core.inventory.total() < core.bound) {
                long now = core.time.nanoTime();
                core.sendBackIfLeaving(core.inventory.add(resource, now), now, after);
                core.serve(after);
            }
            return Optional.ofNullable(rival).map(slot -> slot.resource);
        });
    }

    /** Puts a leased resource of the database into the pool. */
    public void adoptLent(Resource resource, OwnerKey owner, PodRef pod) {
        change(after -> {
            Slot slot = core.inventory.add(resource, core.time.nanoTime());
            core.inventory.lend(slot, owner, pod, core.time.nanoTime());
            return true;
        });
    }

    /** Begins to compare the pool with what a factory is about to be asked for. */
    public Comparison compare(String maker) {
        return change(after -> {
            Comparison begun = new Comparison(core, this, maker);
            core.comparisons.add(begun);
            return begun;
        });
    }

    /**
     * The outside lost a resource: it is never lent again, and goes as soon as nobody has it.
     *
     * @return what was lost; empty if the pool knows that already, or does not have it
     */
    public Optional<Loss> invalidate(ResourceId id) {
        return change(after -> {
            Slot slot = core.inventory.get(id);
            return slot == null || slot.state == INVALID || slot.state == DISPOSING
                    ? Optional.empty()
                    : Optional.of(lose(slot, after));
        });
    }

    /** Under the lock. */
    Loss lose(Slot slot, Aftermath after) {
        Loss loss = Loss.of(slot);
        if (slot.state == COOLING || slot.state == RESERVED) {
            after.ended.add(slot.resource.id());
        }
        core.inventory.move(slot, INVALID, core.time.nanoTime());
        after.demand = true;
        return loss;
    }

    /** What never was in the pool is on its way back: no list brings it in until {@link #unwantedGone}. */
    void unwanted(ResourceId id) {
        change(after -> core.unwanted.add(id));
    }

    /** What never was in the pool has gone back. */
    void unwantedGone(ResourceId id) {
        change(after -> {
            core.unwanted.remove(id);
            core.gone(id);
            return true;
        });
    }

    /** Puts a resource whose disposal was begun before a restart into the pool. */
    public void adoptDisposing(Resource resource) {
        change(after -> {
            core.inventory.move(core.inventory.add(resource, core.time.nanoTime()), DISPOSING, core.time.nanoTime());
            return true;
        });
    }

    /** The resource of the pool that has the id or an address of this one. */
    public Optional<Resource> rival(Resource resource) {
        return change(
                after -> Optional.ofNullable(core.inventory.rival(resource)).map(slot -> slot.resource));
    }

    /** The ids of everything in the pool that a factory made. */
    public Set<ResourceId> madeBy(String maker) {
        return change(after -> core.inventory.slots().stream()
                .filter(slot -> slot.resource.factory().equals(maker))
                .map(slot -> slot.resource.id())
                .collect(Collectors.toSet()));
    }

    /**
     * Decides what to create and what to dispose of, and books it: the creates as {@code CREATING}, the disposals as {@code
     * DISPOSING}. Every create booked must be answered by {@link #created} or {@link #createFailed}, every disposal, in the
     * end, by {@link #disposed}.
     *
     * @param ofPolicy the policy's wish, over which the order in force is laid
     * @param mayCreate false while creates are backing off
     */
    Plan plan(Target ofPolicy, boolean mayCreate) {
        return change(after -> {
            Target target = core.orders.over(ofPolicy);
            String active = core.makers.active();
            // in long: a policy may wish for as many as it likes. Creates of other factories are not counted on: one
            // that leaves
            // takes back what it makes, and one that comes may never make anything
            long missing = (long) core.queue.size()
                    + target.minIdle()
                    - core.inventory.idle().size()
                    - core.makers.creating(active);
            int room = core.room(active, core.makers.activeCapacity());
            int wanted = core.closed ? 0 : (int) Math.max(0, Math.min(missing, room));
            int creates = mayCreate ? wanted : 0;
            book(active, creates);
            return new Plan(active, creates, victims(target), wanted > creates);
        });
    }

    private List<Resource> victims(Target target) {
        List<Slot> victims = new ArrayList<>();
        if (core.inventory.count(INVALID) > 0) {
            core.inventory.slots().stream()
                    .filter(slot -> slot.state == INVALID && slot.owner == null)
                    .forEach(victims::add);
        }
        if (core.queue.isEmpty() && !core.closed) {
            // a start may find more than there may be: those that nobody has go first
            int surplus =
                    Math.max(core.inventory.idle().size() - target.maxIdle(), core.inventory.total() - core.capacity());
            victims.addAll(Surplus.choose(core.inventory, surplus, target.shedFirst()));
        }
        victims.forEach(slot -> core.inventory.move(slot, DISPOSING, core.time.nanoTime()));
        victims.addAll(core.departures);
        core.departures.clear();
        return victims.stream().map(slot -> slot.resource).toList();
    }

    /**
     * Sends back what has been idle for long, unless somebody waits, down to the lower watermark.
     *
     * @param most how many at most
     * @return how many go
     */
    public int reclaim(Duration idleFor, int most) {
        return change(after -> {
            StandingOrder order = core.orders.inForce();
            int above = core.inventory.idle().size() - Math.max(core.settings.minIdle(), order.idle());
            if (!core.queue.isEmpty() || core.closed || above <= 0) {
                return 0;
            }
            long now = core.time.nanoTime();
            List<Slot> chosen = Surplus.choose(core.inventory, Math.min(above, most), List.of()).stream()
                    .filter(slot -> now - slot.since >= idleFor.toNanos())
                    .toList();
            chosen.forEach(slot -> core.inventory.move(slot, DISPOSING, now));
            core.departures.addAll(chosen);
            after.demand = !chosen.isEmpty();
            return chosen.size();
        });
    }

    /**
     * Books creates of a factory that is about to take over.
     *
     * @param idle how many of its resources shall be idle
     * @param capacity how many the factory can have
     * @return how many to create
     */
    int bookComing(String maker, int idle, int capacity) {
        return change(after -> {
            long there = core.inventory.slots().stream()
                    .filter(slot ->
                            slot.state == IDLE && slot.resource.factory().equals(maker))
                    .count();
            int creates = (int) Math.max(0, Math.min(idle - there, core.room(maker, capacity)));
            book(maker, creates);
            return creates;
        });
    }

    private void book(String maker, int creates) {
        if (creates > 0) {
            core.inventory.creating(maker, creates);
            core.makers.unanswered(maker, creates);
        }
    }

    /**
     * A create succeeded.
     *
     * @param booked whether it still counts as {@code CREATING}; false for an answer that came after its deadline
     * @param nanos how long it took
     */
    Arrival created(String maker, Resource resource, boolean booked, long nanos) {
        return change(after -> {
            after.source = "a create";
            if (booked) {
                core.inventory.creating(maker, -1);
            }
            Slot rival = core.inventory.rival(resource);
            if (core.isBarred(resource)
                    || core.unwanted.contains(resource.id())
                    || (rival != null && isSameUnfree(rival, resource))) {
                core.makers.unanswered(maker, -1);
                core.drainedPerhaps(maker, after);
                after.demand = true;
                return Arrival.NOT_FREE;
            }
            if (rival != null && rival.fromList && rival.resource.equals(resource)) {
                rival.fromList = false;
                core.makers.unanswered(maker, -1);
                core.activity.created(nanos);
                core.drainedPerhaps(maker, after);
                return Arrival.LISTED;
            }
            if (rival != null) {
                core.lastCreateFailure = "the factory delivered " + resource.id() + ", which is in the pool already";
                core.makers.unanswered(maker, -1);
                core.drainedPerhaps(maker, after);
                return Arrival.KNOWN;
            }
            core.lastCreateFailure = "";
            core.blockade = null;
            boolean active = maker.equals(core.makers.active());
            if (core.room(maker, active ? core.makers.activeCapacity() : Integer.MAX_VALUE) == 0) {
                // its maker is not done with before it has taken it back
                core.unwanted.add(resource.id());
                return Arrival.NO_ROOM;
            }
            core.makers.unanswered(maker, -1);
            core.activity.created(nanos);
            Slot slot = core.inventory.add(resource.madeBy(maker), core.time.nanoTime());
            core.sendBackIfLeaving(slot, core.time.nanoTime(), after);
            // what a factory makes may be another's, into which it was merged
            core.drainedPerhaps(maker, after);
            core.serve(after);
            after.demand = true;
            return Arrival.TAKEN;
        });
    }

    /** Whether it is the very resource, and the outside lost it or is getting it back: then nobody new may have it. */
    private static boolean isSameUnfree(Slot slot, Resource resource) {
        return slot.resource.equals(resource) && (slot.state == INVALID || slot.state == DISPOSING);
    }

    /**
     * A create failed. The reason is told to callers that time out.
     *
     * @param answered whether the factory has answered; if not, it may still deliver
     */
    void createFailed(String maker, String reason, boolean answered) {
        change(after -> {
            core.inventory.creating(maker, -1);
            core.lastCreateFailure = reason;
            core.refuseIfBlocked(after);
            if (answered) {
                core.makers.unanswered(maker, -1);
            }
            core.drainedPerhaps(maker, after);
            return true;
        });
    }

    /**
     * Nothing can be made until somebody mends something: who waits for it waits no more.
     *
     * @param untilNanos when the next create is tried
     */
    void block(Failed failed, long untilNanos) {
        change(after -> {
            core.blockade = new Blockade(failed, untilNanos);
            core.refuseIfBlocked(after);
            return true;
        });
    }

    /** Something may be made again, as far as anybody knows. */
    void unblock() {
        change(after -> {
            core.blockade = null;
            return true;
        });
    }

    /** A create that was given up is over: nothing came, or what came went back. */
    void answeredLate(String maker) {
        change(after -> {
            core.makers.unanswered(maker, -1);
            core.drainedPerhaps(maker, after);
            return true;
        });
    }

    /** A disposal succeeded: the resource is gone. */
    void disposed(ResourceId id) {
        change(after -> {
            Slot slot = core.inventory.get(id);
            if (slot != null && slot.state == DISPOSING) {
                core.inventory.remove(slot);
                core.gone(id);
                core.drainedPerhaps(slot.resource.factory(), after);
                after.demand = true;
            }
            return true;
        });
    }

    /**
     * A primary address that could not go because its parent has got other addresses since it was chosen: it is idle again, for
     * it can go only with the last of them. One whose maker leaves goes on trying, since all of them are to go.
     *
     * @return false if it stays on its way out
     */
    boolean keepForSiblings(ResourceId id) {
        return change(after -> {
            Slot slot = core.inventory.get(id);
            boolean keep = slot != null
                    && slot.state == DISPOSING
                    && !slot.lost
                    && slot.resource.primary()
                    && slot.resource.factory().equals(core.makers.active())
                    && hasStayingSibling(slot);
            if (keep) {
                core.inventory.move(slot, IDLE, core.time.nanoTime());
                core.serve(after);
                after.demand = true;
            }
            return keep;
        });
    }

    private boolean hasStayingSibling(Slot slot) {
        return core.inventory.slots().stream()
                .anyMatch(other -> other != slot
                        && other.state != DISPOSING
                        && other.state != INVALID
                        && other.resource.parent().equals(slot.resource.parent()));
    }

    /** Bounds what the pool may hold of all factories together. */
    public void bound(int most) {
        change(after -> {
            core.bound = most;
            core.inventory.touched();
            return true;
        });
    }

    /** Sets how much a factory can have, if it is the active one; less than it has now only stops creates. */
    public void capacity(String maker, int most) {
        change(after -> {
            if (maker.equals(core.makers.active()) && core.makers.activeCapacity() != most) {
                core.makers.activeCapacity(most);
                core.inventory.touched();
                after.demand = true;
            }
            return true;
        });
    }

    /** How the pool is put right by what others know. */
    public Restoration restoration() {
        return new Restoration(core, this);
    }

    /** Factories and their part in the pool. */
    public Crew crew() {
        return new Crew(core, this);
    }

    /**
     * Gives an order in the place of the one in force.
     *
     * @param changes told outside the lock that a warm order is carried out, and that it is over; on any thread
     */
    public void order(StandingOrder order, Consumer<StandingOrder> changes) {
        change(after -> {
            core.orders.give(order, changes);
            after.demand = true;
            return true;
        });
    }

    /** The order in force. */
    public StandingOrder order() {
        return change(after -> core.orders.inForce());
    }

    /** What an order would do to the pool as it is, by the configured watermarks. */
    public Prospect prospect(StandingOrder order) {
        return change(after -> core.orders.prospect(order, watermarks()));
    }

    /** The watermarks as configured: the built-in policy's target. */
    Target watermarks() {
        return Target.between(core.settings.minIdle(), core.settings.maxIdle());
    }

    /** Makes a change under the lock, and carries out what follows from it without. */
    <T> T change(Function<Aftermath, T> change) {
        Aftermath after = new Aftermath();
        T result;
        core.lock.lock();
        try {
            result = change.apply(after);
        } finally {
            core.lock.unlock();
        }
        core.carryOut(after);
        return result;
    }
}

package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;

import io.enipam.engine.pool.Provisioner.ProvisioningBlock;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What becomes of the creates and disposals that {@link PoolMembership#plan} has recorded. Thread-safe, under the
 * pool's lock.
 */
record ProvisioningOutcomes(PoolCore core) {
    /** What became of a resource that a factory delivered. */
    enum Arrival {
        /** It is in the pool; if its maker leaves, on its way back already. */
        TAKEN,
        /** It came too late and exceeds the capacity: it goes back, and then {@link #answeredLate} is called. */
        NO_CAPACITY,
        /** A list brought it into the pool before this answer came. */
        LISTED,
        /**
         * It is one that the cloud lost or a sandbox uses unknown to the pool, or that is on its way back: the next
         * comparison says what becomes of it.
         */
        NOT_FREE,
        /**
         * Another resource of the pool has its address: it is kept aside until that one is gone. The factory has done
         * nothing wrong, and the next create brings another address.
         */
        CLASH,
        /** The same where the other one is about to end, and no pod has it. */
        SUCCESSOR,
        /** The pool has this one already: the factory is wrong, and the owner keeps it. */
        KNOWN
    }

    /** @param counted whether it still counts as {@code CREATING}; false for an answer that came after its deadline */
    Arrival created(String maker, Resource resource, boolean counted, long nanos) {
        return core.change(after -> {
            after.source = "a create";
            if (counted) {
                core.inventory.creating(maker, -1);
            }
            Resource made = resource.madeBy(maker);
            Slot rival = core.inventory.rival(made);
            boolean same = rival != null && core.factories.same(rival.resource, made);
            if (core.isBarred(resource) || core.isUnwanted(made) || (same && rival.isGoing())) {
                core.answered(maker, after);
                after.demand = true;
                return Arrival.NOT_FREE;
            }
            if (same && rival.fromList) {
                rival.fromList = false;
                core.activity.created(nanos);
                core.answered(maker, after);
                return Arrival.LISTED;
            }
            if (core.aside.has(made)) {
                // a list was faster than the answer
                core.answered(maker, after);
                after.demand = true;
                return Arrival.LISTED;
            }
            if (rival != null && core.aside.keep(core.factories.stamped(made), rival.resource)) {
                core.blockade = null;
                core.answered(maker, after);
                after.demand = true;
                return PoolCore.isEnding(rival) ? Arrival.SUCCESSOR : Arrival.CLASH;
            }
            if (rival != null) {
                core.lastCreateFailure = "the factory delivered " + resource.id() + ", which is in the pool already";
                core.answered(maker, after);
                return Arrival.KNOWN;
            }
            core.lastCreateFailure = "";
            core.blockade = null;
            if (core.headroom(maker) == 0) {
                // its maker is not done with before it has taken it back
                core.unwanted(made);
                return Arrival.NO_CAPACITY;
            }
            core.activity.created(nanos);
            long now = core.time.nanoTime();
            core.sendBackIfLeaving(core.inventory.add(made, now), now, after);
            // what a factory makes may be another's, into which it was merged
            core.answered(maker, after);
            core.serve(after);
            after.demand = true;
            return Arrival.TAKEN;
        });
    }

    /**
     * A create failed. Callers that time out get the reason.
     *
     * @param answered whether the factory has answered; if not, it may still deliver
     */
    void createFailed(String maker, String reason, boolean answered) {
        core.update(after -> {
            core.inventory.creating(maker, -1);
            core.lastCreateFailure = reason;
            core.refuseIfBlocked(after);
            if (answered) {
                core.answered(maker, after);
            }
        });
    }

    /**
     * Nothing can be made until an operator repairs something: waiters are refused.
     *
     * @param untilNanos when the next create is tried
     */
    void block(NamedFactory maker, Failed failed, long untilNanos) {
        core.update(after -> {
            ProvisioningBlock before = core.blockade;
            boolean same = before != null && before.failed().kind() == failed.kind();
            core.blockade = new ProvisioningBlock(maker, failed, same ? before.since() : core.time.now(), untilNanos);
            core.refuseIfBlocked(after);
        });
    }

    void waitingSince(Supplier<Optional<Instant>> oldest) {
        core.oldestCreate = oldest;
    }

    /** Something may be made again, as far as is known. */
    void unblock() {
        core.update(after -> core.blockade = null);
    }

    /** A create that was given up is over: nothing came, or what came went back. */
    void answeredLate(String maker) {
        core.update(after -> core.answered(maker, after));
    }

    void disposed(Resource resource) {
        core.update(after -> {
            Slot slot = core.inventory.get(resource);
            if (slot != null && slot.state == DISPOSING) {
                core.inventory.remove(slot);
                core.gone(slot.resource);
                core.drainedPerhaps(slot.resource.factory(), after);
                after.demand = true;
                after.capacityFreed = freesCapacity(slot.resource);
            }
        });
    }

    /** Whether a create may succeed now that failed before: for another factory's, only by an ENI's slot. */
    private boolean freesCapacity(Resource resource) {
        return resource.factory().equals(core.factories.active)
                || resource.primary()
                || resource.parent().isEmpty();
    }

    /**
     * A primary address that could not go because its parent has got other addresses since it was chosen: it is idle
     * again, for it can go only with the last of them. One whose maker leaves goes on trying, since all of them are to
     * go.
     *
     * @return false if it stays on its way out
     */
    boolean keepForSiblings(Resource resource) {
        return core.change(after -> {
            Slot slot = core.inventory.get(resource);
            boolean keep = slot != null
                    && slot.state == DISPOSING
                    && !slot.lost
                    && slot.resource.primary()
                    && slot.resource.factory().equals(core.factories.active)
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
                .filter(other -> other != slot && !other.isGoing())
                .anyMatch(other -> other.resource.parent().equals(slot.resource.parent()));
    }

    /** What never was in the pool is on its way back: no list brings it in until {@link #unwantedGone}. */
    void unwanted(Resource resource) {
        core.update(after -> core.unwanted(resource));
    }

    /** What never was in the pool has gone back. */
    void unwantedGone(Resource resource) {
        core.update(after -> {
            core.unwantedGone(resource);
            after.capacityFreed = true;
        });
    }
}

package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import org.jspecify.annotations.Nullable;

/**
 * A resource's place in the pool. All fields are guarded by the pool's lock. A slot links to the slots before and after
 * it in the list of its state, so that leaving the middle of the list costs nothing.
 *
 * <p>The life of a resource:
 *
 * <pre>
 * CREATING -> IDLE <-> IN_USE
 *             IN_USE -> COOLING | RESERVED -> IDLE
 *             RESERVED -> IN_USE             (the pod it was kept for came back)
 *             IDLE -> DISPOSING -> gone
 *             DISPOSING -> IDLE              (a primary address whose parent has got others: it goes with the last of them)
 * any      -> INVALID -> DISPOSING           (the outside lost it)
 *             INVALID -> IN_USE              (the outside gave it back to the owner who still has it)
 * </pre>
 */
final class Slot {
    /** The {@link #index} of a slot that is not in the pool any more. */
    static final int GONE = -1;

    /** Stamped with its maker; another stamp replaces it when its maker's resources become another's. */
    Resource resource;

    ResourceState state;
    /** Whether it has the families that the pool lends; they never change, and every release asks. */
    final boolean fits;
    /** {@code nanoTime} of the last transition. */
    long since;
    /** {@code nanoTime} at which the state ends by itself; meaningful in COOLING and RESERVED. */
    long until;
    /**
     * The number of the last transition: the order in which slots became idle, and which of two holds that end at the same
     * time goes first.
     */
    long sequence;
    /** In IN_USE: the pod whose reservation it was, which {@code until} is still the end of; else null. */
    @Nullable
    PodRef reservedFor;

    /** Whether the outside has lost it: in INVALID, and from there to its end. */
    boolean lost;
    /** {@code nanoTime} until which no list proves it lost, if it is {@link #young}. */
    long youngUntil;
    /** Whether it came from a row so young that the outside's lists may not show the resource yet. */
    boolean young;
    /** Whether a list did not show it while it was young: no other owner gets it before one does. */
    boolean missed;
    /** Whether a list brought it here, and the answer to the create that made it may yet come. */
    boolean fromList;
    /** Who has it: in IN_USE, and in INVALID if the outside lost it while it was lent. */
    @Nullable
    OwnerKey owner;
    /** The pod that has it, or it is kept for, or had it last. */
    @Nullable
    PodRef pod;

    /** Whose hold was written last: the factory that made the resource may have been merged into another one since. */
    private @Nullable ResourceKey held;

    /** Its place in the inventory's list; {@link #GONE} once it is removed. */
    int index;
    /** The number of the last {@link InventoryCopy} that has it. */
    long copyNumber;
    /** What it was at the moment of that copy, if it changed before the copy came to it. */
    @Nullable
    SlotCopy kept;

    /** Another one with the same id, of a factory with another provider. */
    @Nullable
    Slot namesake;

    @Nullable
    Slot previous;

    @Nullable
    Slot next;

    /** An idle one. */
    Slot(Resource resource, boolean fits, long since) {
        this.resource = resource;
        this.fits = fits;
        this.state = IDLE;
        this.since = since;
    }

    /** The one table of which state may follow which. */
    static boolean mayFollow(ResourceState from, ResourceState to) {
        return switch (from) {
            case CREATING, DISPOSING -> to == IDLE;
            case IDLE -> to == IN_USE || to == DISPOSING || to == INVALID;
            case IN_USE -> to == IDLE || to == COOLING || to == RESERVED || to == INVALID;
            case COOLING -> to == IDLE || to == INVALID;
            case RESERVED -> to == IDLE || to == IN_USE || to == INVALID;
            case INVALID -> to == DISPOSING || to == IN_USE;
        };
    }

    /** The hold is in the database, under the name that it gives the resource's factory. */
    void written(Hold hold) {
        held = ResourceKey.of(hold.resource());
    }

    /** The key of the row of its hold, if there is one. */
    ResourceKey holdRow() {
        return held == null ? ResourceKey.of(resource) : held;
    }

    /** Whether the outside's loss of it has been noticed, or it is on its way back: it serves no pod any more. */
    boolean isGoing() {
        return state == DISPOSING || state == INVALID;
    }

    /** What an inspection or a policy may know of it, as it is now. */
    SlotCopy copy() {
        return new SlotCopy(resource, state, since, until, sequence, owner, pod);
    }

    /** A slot at one moment: its fields of the same names. */
    record SlotCopy(
            Resource resource,
            ResourceState state,
            long since,
            long until,
            long sequence,
            @Nullable OwnerKey owner,
            @Nullable PodRef pod) {}

    @Override
    public String toString() {
        return resource.id() + " " + state;
    }
}

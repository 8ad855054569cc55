package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.OwnerKey;
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
    /** Stamped with its maker; another stamp replaces it when its maker's resources become another's. */
    Resource resource;

    ResourceState state;
    /** {@code nanoTime} of the last transition. */
    long since;
    /** {@code nanoTime} at which the state ends by itself; meaningful in COOLING and RESERVED. */
    long until;
    /** Breaks ties between holds that end at the same time. */
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

    @Nullable
    Slot previous;

    @Nullable
    Slot next;

    Slot(Resource resource, ResourceState state, long since) {
        this.resource = resource;
        this.state = state;
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

    /** Whether the outside's loss of it has been noticed, or it is on its way back: it serves no pod any more. */
    boolean isGoing() {
        return state == DISPOSING || state == INVALID;
    }

    @Override
    public String toString() {
        return resource.id() + " " + state;
    }
}

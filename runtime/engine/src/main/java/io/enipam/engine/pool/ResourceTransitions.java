package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.CREATING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IDLE;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.sdk.ResourceState;

/**
 * The life of a resource: the one table of which state may follow which.
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
final class ResourceTransitions {
    private static final int[] FOLLOWERS = new int[ResourceState.values().length];

    static {
        allow(CREATING, IDLE);
        allow(IDLE, IN_USE, DISPOSING, INVALID);
        allow(IN_USE, IDLE, COOLING, RESERVED, INVALID);
        allow(COOLING, IDLE, INVALID);
        allow(RESERVED, IDLE, IN_USE, INVALID);
        allow(INVALID, DISPOSING, IN_USE);
        allow(DISPOSING, IDLE);
    }

    private ResourceTransitions() {}

    static boolean allowed(ResourceState from, ResourceState to) {
        return (FOLLOWERS[from.ordinal()] & (1 << to.ordinal())) != 0;
    }

    private static void allow(ResourceState from, ResourceState... to) {
        for (ResourceState state : to) {
            FOLLOWERS[from.ordinal()] |= 1 << state.ordinal();
        }
    }
}

package io.enipam.engine.pool;

import io.enipam.engine.port.Change;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;

/** Says what the removal of a row that the disk refused would meet now, by what the pool has. Thread-safe. */
public final class StaleRowChecker {
    private final ResourcePool pool;

    public StaleRowChecker(ResourcePool pool) {
        this.pool = pool;
    }

    /** What is to be done with a removal that was refused. */
    public StaleRowRemover.RemovalDecision check(Change removal) {
        if (removal instanceof Change.RemoveHold hold) {
            return ofHold(hold.resource());
        }
        // a create's token is never used twice; a disposal's is the resource's id, which may come again
        boolean removable = removal instanceof Change.RemoveIntent intent && !disposing(intent.token());
        return removable ? StaleRowRemover.RemovalDecision.REMOVE : StaleRowRemover.RemovalDecision.SUPERSEDED;
    }

    private StaleRowRemover.RemovalDecision ofHold(ResourceId resource) {
        return switch (pool.state(resource).orElse(ResourceState.IDLE)) {
            case IDLE, INVALID, DISPOSING, CREATING -> StaleRowRemover.RemovalDecision.REMOVE;
            case IN_USE -> StaleRowRemover.RemovalDecision.LATER;
            case COOLING, RESERVED -> StaleRowRemover.RemovalDecision.SUPERSEDED;
        };
    }

    private boolean disposing(String resource) {
        return pool.view().entries().stream()
                .anyMatch(entry -> entry.state() == ResourceState.DISPOSING
                        && entry.resource().id().value().equals(resource));
    }
}

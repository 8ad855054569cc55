package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.util.Optional;

/**
 * A resource that the outside has lost, or has given back after that.
 *
 * @param resource what it is
 * @param was the state it was in before
 * @param owner who has it, if somebody has
 * @param pod the pod that has it or that it was kept for, if there is one
 */
public record ResourceLoss(Resource resource, ResourceState was, Optional<OwnerKey> owner, Optional<PodRef> pod) {
    static ResourceLoss of(Slot slot) {
        boolean pods = slot.owner != null || slot.state == ResourceState.RESERVED;
        return new ResourceLoss(
                slot.resource,
                slot.state,
                Optional.ofNullable(slot.owner),
                pods ? Optional.ofNullable(slot.pod) : Optional.empty());
    }
}

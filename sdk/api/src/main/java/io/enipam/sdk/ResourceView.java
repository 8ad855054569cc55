package io.enipam.sdk;

import java.time.Instant;
import java.util.Optional;

/**
 * One resource as a policy sees it. The host makes it; more may be added, beside the constructors that there are.
 *
 * @param resource the resource
 * @param state its state at the time of the snapshot
 * @param since when it entered that state
 * @param owner the pod that has it: in state {@code IN_USE}, and in {@code INVALID} while its pod has it still; of a
 *     {@code RESERVED} one, the pod that it is kept for; else empty
 */
public record ResourceView(Resource resource, ResourceState state, Instant since, Optional<PodView> owner) {
    /** One without an owner. */
    public ResourceView(Resource resource, ResourceState state, Instant since) {
        this(resource, state, since, Optional.empty());
    }
}

package io.enipam.engine.pool;

import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.util.List;
import java.util.Optional;

/**
 * A hold that ended by itself.
 *
 * @param pod the pod that had the resource last
 * @param was {@code COOLING} or {@code RESERVED}
 * @param now what it is since: {@code IDLE}, {@code DISPOSING} if its maker leaves, {@code COOLING} if it left the pool
 */
public record HoldExpired(Resource resource, Optional<PodRef> pod, ResourceState was, ResourceState now) {
    /** Whom its story is about. */
    public TraceSink.Subject subject() {
        return new TraceSink.Subject(Optional.empty(), pod, resource.id().value(), List.of());
    }
}

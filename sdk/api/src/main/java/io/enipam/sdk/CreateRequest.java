package io.enipam.sdk;

import java.time.Instant;
import java.util.Set;

/**
 * A request for one resource.
 *
 * @param token the request's name, see {@link RequestToken}
 * @param families the families the resource shall have, at least one: one address of each
 * @param deadline after this the engine no longer waits: the factory should give up, and undo what it began
 */
public record CreateRequest(RequestToken token, Set<Family> families, Instant deadline) {
    public CreateRequest {
        families = Set.copyOf(families);
        if (families.isEmpty()) {
            throw new IllegalArgumentException("a request needs at least one address family");
        }
    }
}

package io.enipam.sdk;

import java.time.Instant;

/**
 * One resource as a policy sees it.
 *
 * @param resource the resource
 * @param state its state at the time of the snapshot
 * @param since when it entered that state
 */
public record ResourceView(Resource resource, ResourceState state, Instant since) {}

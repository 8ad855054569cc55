package io.enipam.engine.startup;

import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.List;
import java.util.Set;

/**
 * What a factory listed.
 *
 * @param before what the pool had when it was asked
 * @param missed what an earlier list left out
 */
record FactoryListing(List<Resource> resources, Set<ResourceId> before, Set<ResourceId> missed) {}

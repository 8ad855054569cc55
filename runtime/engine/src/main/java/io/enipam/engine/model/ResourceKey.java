package io.enipam.engine.model;

import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;

/** What makes a resource the same one: two factories may give the same id. */
public record ResourceKey(String factory, ResourceId id) {
    public static ResourceKey of(Resource resource) {
        return new ResourceKey(resource.factory(), resource.id());
    }
}

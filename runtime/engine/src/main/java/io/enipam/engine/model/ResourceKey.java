package io.enipam.engine.model;

import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.Optional;

/** What makes a resource the same one: two factories may give the same id. */
public record ResourceKey(String factory, ResourceId id) {
    public static ResourceKey of(Resource resource) {
        return new ResourceKey(resource.factory(), resource.id());
    }

    /** FACTORY/ID, the key of its rows in the database; a factory's name has no slash. It is empty where no engine has set it. */
    public String path() {
        return factory + "/" + id;
    }

    /** The key with this {@link #path}; empty if it is that of none. */
    public static Optional<ResourceKey> parse(String path) {
        int slash = path.indexOf('/');
        try {
            return slash < 0
                    ? Optional.empty()
                    : Optional.of(new ResourceKey(path.substring(0, slash), new ResourceId(path.substring(slash + 1))));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // no resource has this id
        }
    }
}

package io.enipam.sdk;

import java.util.Set;

/**
 * What a factory can do, asked after it was opened, after each {@link ResourceFactory#list()}, and now and then.
 *
 * @param families the families a resource of it can have
 * @param capacity how many resources it can have in being at one time, at least 0; not how many are left
 * @param createBatch how many requests it can turn into one call of its provider, at least 1; a hint for the engine
 * @param replaysTokens whether the same token gives the same resource, while the first is under way and even after a restart of
 *     the daemon
 */
public record Capabilities(Set<Family> families, int capacity, int createBatch, boolean replaysTokens) {
    public Capabilities {
        families = Set.copyOf(families);
        if (families.isEmpty() || capacity < 0 || createBatch < 1) {
            throw new IllegalArgumentException("capabilities need a family, capacity >= 0 and createBatch >= 1, got "
                    + families + ", " + capacity + ", " + createBatch);
        }
    }
}

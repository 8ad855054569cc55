package io.enipam.engine.model;

/**
 * The machine that a database belongs to, as the cloud names it.
 *
 * @param instanceId the cloud's id of the instance
 * @param region the region it runs in
 */
public record NodeIdentity(String instanceId, String region) {
    public NodeIdentity {
        if (instanceId.isEmpty()) {
            throw new IllegalArgumentException("a node without an instance id has no identity");
        }
    }

    @Override
    public String toString() {
        return region.isEmpty() ? instanceId : instanceId + " in " + region;
    }
}

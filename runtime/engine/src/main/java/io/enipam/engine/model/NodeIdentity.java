package io.enipam.engine.model;

import java.util.Optional;

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

    /**
     * What a database says of the node whose leases it holds.
     *
     * @param identity the machine; empty as long as no cloud has told it
     * @param settled whether a start-up has completed on this database. Without that the database counts as new or lost: what
     *     kernel and API server know becomes leases before anything is handed out
     */
    public record NodeRecord(Optional<NodeIdentity> identity, boolean settled) {}
}

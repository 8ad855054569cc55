package io.enipam.engine.model;

import java.util.Optional;

/** The machine that a database belongs to, as the cloud names it. */
public record NodeIdentity(String instanceId, String region) {
    public NodeIdentity {
        if (instanceId.isEmpty()) {
            throw new IllegalArgumentException("a node without an instance id has no identity");
        }
    }

    /**
     * Why this machine must not work on a database. A database of another machine, as a cloned disk image has, is never
     * taken over: its leases are of pods that run elsewhere, and finishing its operations would take addresses from
     * them.
     *
     * @return empty if the database is this machine's, or of no machine yet
     */
    public Optional<IpamException> conflictWith(Optional<NodeRecord> record) {
        return record.flatMap(NodeRecord::identity)
                .filter(owner -> !owner.instanceId().equals(instanceId))
                .map(owner -> new IpamException(
                        ErrorCode.STORE_FAILED,
                        "the database is of instance " + owner + ", and this is " + this
                                + ": nothing of it is used, and nothing of the cloud is changed",
                        "if this disk is a copy of the other instance's, stop the daemon, move its database directory"
                                + " aside, and start it: leases are rebuilt from kernel and API server"));
    }

    @Override
    public String toString() {
        return region.isEmpty() ? instanceId : instanceId + " in " + region;
    }

    /**
     * What a database says of the node whose leases it holds.
     *
     * @param identity the machine; empty until a cloud has reported it
     * @param settled whether a start-up has completed on this database. Without that the database counts as new or
     *     lost: what kernel and API server know becomes leases before anything is handed out
     */
    public record NodeRecord(Optional<NodeIdentity> identity, boolean settled) {}
}

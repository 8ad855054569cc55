package io.enipam.engine.startup;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import java.util.Optional;

/**
 * Whose database it is. A database of another machine, as a cloned disk image has, is never taken over: its leases are of
 * pods that run elsewhere, and finishing its operations would take addresses from them.
 */
public final class DatabaseOwnership {
    private DatabaseOwnership() {}

    /**
     * What is wrong with working on a database.
     *
     * @param record what the database says of its node
     * @param machine what the cloud says of this machine
     * @return empty if the database is this machine's, or nobody's yet
     */
    public static Optional<IpamException> conflict(Optional<NodeRecord> record, NodeIdentity machine) {
        return record.flatMap(NodeRecord::identity)
                .filter(owner -> !owner.instanceId().equals(machine.instanceId()))
                .map(owner -> new IpamException(
                        ErrorCode.STORE_FAILED,
                        "the database is of instance " + owner + ", and this is " + machine
                                + ": nothing of it is used, and nothing of the cloud is changed",
                        "if this disk is a copy of the other instance's, stop the daemon, move its database directory"
                                + " aside, and start it: leases are rebuilt from kernel and API server"));
    }
}

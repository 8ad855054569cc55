package io.enipam.engine.port;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.PodRef;
import java.util.Optional;

/** One change of the resource database: to put adds a row or replaces it; to remove what is not there changes nothing. */
public sealed interface Change {
    record PutLease(Lease lease) implements Change {}

    /** @param end why, for the history of leases; empty if the row is not thought to be there */
    record RemoveLease(OwnerKey owner, Optional<LeaseEnd> end) implements Change {
        public RemoveLease(OwnerKey owner) {
            this(owner, Optional.empty());
        }

        public RemoveLease(OwnerKey owner, LeaseEnd end) {
            this(owner, Optional.of(end));
        }
    }

    record PutHold(Hold hold) implements Change {}

    record RemoveHold(ResourceKey resource) implements Change {}

    record PutIntent(Intent intent) implements Change {}

    /** @param key {@link Intent#key()} */
    record RemoveIntent(String key) implements Change {}

    /** Adds an operation that is about to be asked of the cloud. */
    record PutOperation(CloudJournal.Entry entry) implements Change {}

    /** Removes an operation whose outcome is known. */
    record RemoveOperation(String id) implements Change {}

    record PutPod(PodCopy copy) implements Change {}

    record RemovePod(PodRef pod) implements Change {}

    record PutRow(TableRow row) implements Change {}

    /** @param path {@link TableRow#path()} */
    record RemoveRow(String path) implements Change {}

    record PutNode(NodeRecord node) implements Change {}
}

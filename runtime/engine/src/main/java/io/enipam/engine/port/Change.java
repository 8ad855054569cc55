package io.enipam.engine.port;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceId;

/** One change of the resource database. */
public sealed interface Change {
    /** Adds or replaces the lease of an owner. */
    record PutLease(Lease lease) implements Change {}

    /** Removes the lease of an owner; nothing happens if there is none. */
    record RemoveLease(OwnerKey owner) implements Change {}

    /** Adds or replaces the hold of a resource. */
    record PutHold(Hold hold) implements Change {}

    /** Removes the hold of a resource; nothing happens if there is none. */
    record RemoveHold(ResourceId resource) implements Change {}

    /** Adds or replaces a pending cloud operation. */
    record PutIntent(Intent intent) implements Change {}

    /** Removes a pending cloud operation; nothing happens if there is none. */
    record RemoveIntent(String token) implements Change {}

    /** Adds an operation that is about to be asked of the cloud. */
    record PutOperation(CloudJournal.Entry entry) implements Change {}

    /** Removes an operation whose outcome is known; nothing happens if there is none. */
    record RemoveOperation(String id) implements Change {}

    /** Adds or replaces the copy of a pod. */
    record PutPod(PodCopy copy) implements Change {}

    /** Removes the copy of a pod; nothing happens if there is none. */
    record RemovePod(PodRef pod) implements Change {}

    /** Adds or replaces a row of a plugin's table. */
    record PutRow(TableRow row) implements Change {}

    /**
     * Removes a row of a plugin's table; nothing happens if there is none.
     *
     * @param path {@link TableRow#path()}
     */
    record RemoveRow(String path) implements Change {}

    /** Adds or replaces what the database says of its node. */
    record PutNode(NodeRecord node) implements Change {}
}

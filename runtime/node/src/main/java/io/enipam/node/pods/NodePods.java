package io.enipam.node.pods;

import io.enipam.engine.port.PodDirectory;
import io.enipam.sdk.PodRef;

/** A pod directory of a daemon without a cluster: pods come and go by calls of the Control service. Thread-safe. */
public interface NodePods extends PodDirectory {
    /** Makes a pod of a sandbox with the UID on its lease, else the runtime's UID, or empty text. */
    void admit(PodRef pod, String leaseUid);

    /** A pod that had been admitted before the daemon started exists, unless it was deleted: it has something still. */
    default void restore(PodRef pod, String uid) {}

    /** Deletes a pod without a DEL; throws IpamException if it does not exist, or pods cannot be deleted here. */
    void delete(PodRef pod);
}

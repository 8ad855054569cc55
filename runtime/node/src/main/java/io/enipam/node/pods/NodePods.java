package io.enipam.node.pods;

import io.enipam.engine.port.PodDirectory;
import io.enipam.sdk.PodRef;

/** A pod directory of a daemon without a cluster: pods come and go by calls of the Control service. Thread-safe. */
public interface NodePods extends PodDirectory {
    /**
     * A sandbox is being added for a pod: the pod exists from now on.
     *
     * @param leaseUid the UID on this sandbox's existing lease, else the runtime's UID, or empty text
     */
    void admit(PodRef pod, String leaseUid);

    /**
     * Deletes a pod without a DEL.
     *
     * @throws io.enipam.engine.model.IpamException if the pod does not exist, or pods cannot be deleted here
     */
    void delete(PodRef pod);
}

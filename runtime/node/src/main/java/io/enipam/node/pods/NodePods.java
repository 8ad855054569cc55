package io.enipam.node.pods;

import io.enipam.engine.port.PodDirectory;
import io.enipam.sdk.PodRef;

/** A pod directory of a daemon without a cluster: pods come and go by calls of the Control service. Thread-safe. */
public interface NodePods extends PodDirectory {
    /**
     * A sandbox is being added for a pod: the pod exists from now on.
     *
     * @param leaseUid the UID on the lease that this very sandbox has already, else the one that its runtime tells, or empty text
     */
    void admit(PodRef pod, String leaseUid);

    /**
     * Makes a pod vanish with no DEL.
     *
     * @throws io.enipam.engine.model.IpamException if there is no such pod, or pods cannot be deleted here
     */
    void delete(PodRef pod);
}

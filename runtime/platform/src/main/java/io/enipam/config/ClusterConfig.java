package io.enipam.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The cluster's settings in the files.
 *
 * @param kubeconfig a file with address and credentials of the API server, instead of the pod's service account
 * @param perSecond the most requests a second, watches aside
 * @param statefulKinds kinds of owners whose pods keep their address for a while, StatefulSet aside
 * @param stick how long they keep it
 * @param trustCalls whether an ADD proceeds with its own parameters when the API server does not answer and no copy of
 *     the pod exists
 * @param patchPodIps whether the daemon writes the addresses of pods to the pods
 */
public record ClusterConfig(
        Use use,
        Optional<Path> kubeconfig,
        int perSecond,
        Set<String> statefulKinds,
        Duration stick,
        boolean trustCalls,
        boolean patchPodIps) {
    /** Whether the daemon asks the cluster. */
    public enum Use {
        /** If a kubeconfig or the service account of a pod exists. */
        AUTO,
        /** Yes; a daemon that finds neither does not start. */
        ON,
        OFF
    }
}

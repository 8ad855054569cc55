package io.enipam.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What the files say of the cluster.
 *
 * @param use whether it is asked
 * @param kubeconfig a file with the way to the API server, instead of the pod's service account
 * @param perSecond how many requests a second are sent at most, watches aside
 * @param statefulKinds kinds of owners whose pods keep their address for a while, StatefulSet aside
 * @param stick how long
 * @param trustCalls whether an ADD goes on by its own parameters when the API server does not answer and no copy of the pod is kept
 * @param patchPodIps whether the addresses of pods are written to the pods
 */
public record ClusterConfig(
        Use use,
        Optional<Path> kubeconfig,
        int perSecond,
        Set<String> statefulKinds,
        Duration stick,
        boolean trustCalls,
        boolean patchPodIps) {
    /** Whether the cluster is asked. */
    public enum Use {
        /** Where there is a way to it: a kubeconfig, or the service account of a pod. */
        AUTO,
        /** It is, and a daemon that finds no way to it does not start. */
        ON,
        /** It is not. */
        OFF
    }

    public ClusterConfig {
        statefulKinds = Set.copyOf(statefulKinds);
    }
}

package io.enipam.engine.model;

import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * What the engine knows of a pod.
 *
 * @param ref namespace and name
 * @param uid the API server's UID, or empty text where nobody told it
 * @param finished whether it has run to its end (phase Succeeded or Failed): such a pod counts as gone
 * @param stick how long its address shall be kept for it after a DEL; zero for a pod that does not care
 * @param addresses the pod's IPs, at most one per family, as the API server has them; empty where they are not known yet, and
 *     for a pod in the node's own network
 * @param wishes what its manifest asks for
 */
public record Pod(
        PodRef ref, String uid, boolean finished, Duration stick, List<InetAddress> addresses, PodWishes wishes) {
    public Pod {
        addresses = List.copyOf(addresses);
    }

    /** A pod that asks for nothing. */
    public Pod(PodRef ref, String uid, boolean finished, Duration stick, List<InetAddress> addresses) {
        this(ref, uid, finished, stick, addresses, PodWishes.NONE);
    }

    /** A pod whose IPs are not known. */
    public Pod(PodRef ref, String uid, boolean finished, Duration stick) {
        this(ref, uid, finished, stick, List.of());
    }
}

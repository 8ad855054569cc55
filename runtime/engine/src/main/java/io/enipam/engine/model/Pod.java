package io.enipam.engine.model;

import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * What the engine knows of a pod.
 *
 * @param uid the API server's UID, or empty text where it is unknown
 * @param finished whether it has run to its end (phase Succeeded or Failed): such a pod counts as gone
 * @param stick how long its address shall be kept for it after a DEL; zero for a pod that does not care
 * @param addresses the pod's IPs, at most one per family, as the API server has them; empty where they are not known
 *     yet, and for a pod in the node's own network
 * @param metadata what policies may look at; in memory alone
 */
public record Pod(
        PodRef ref,
        String uid,
        boolean finished,
        Duration stick,
        List<InetAddress> addresses,
        PodNetworkSpec wishes,
        Metadata metadata) {
    /**
     * The kubelet makes the UIDs of static pods itself, from a hash of the file; those of the API server have dashes.
     */
    private static final Pattern STATIC = Pattern.compile("[0-9a-f]{32}");

    public Pod {
        addresses = List.copyOf(addresses);
    }

    /** A pod of whose labels and annotations nothing is known. */
    public Pod(
            PodRef ref,
            String uid,
            boolean finished,
            Duration stick,
            List<InetAddress> addresses,
            PodNetworkSpec wishes) {
        this(ref, uid, finished, stick, addresses, wishes, Metadata.NONE);
    }

    /** A pod that asks for nothing. */
    public Pod(PodRef ref, String uid, boolean finished, Duration stick, List<InetAddress> addresses) {
        this(ref, uid, finished, stick, addresses, PodNetworkSpec.NONE);
    }

    public Pod(PodRef ref, String uid, boolean finished, Duration stick) {
        this(ref, uid, finished, stick, List.of());
    }

    /** The same pod as it is kept on disk. */
    public Pod withoutMetadata() {
        return metadata.equals(Metadata.NONE) ? this : new Pod(ref, uid, finished, stick, addresses, wishes);
    }

    /** As a policy sees it. */
    public PodView view() {
        return PodView.of(ref, metadata.labels, metadata.annotations);
    }

    /** Whether the kubelet made a pod's UID: it runs by a file, and the API server has a mirror of it. */
    public static boolean isStatic(String uid) {
        return STATIC.matcher(uid).matches();
    }

    /**
     * Whether two UIDs decide whether their pods are the same: both are known, and not just one is the UID of a mirror.
     */
    public static boolean areComparable(String uid, String other) {
        return !uid.isEmpty() && !other.isEmpty() && isStatic(uid) == isStatic(other);
    }

    /** Whether two UIDs are those of different pods for certain. */
    public static boolean areDifferent(String uid, String other) {
        return areComparable(uid, other) && !uid.equals(other);
    }

    /** Labels and annotations, bounded as {@link PodView} says. */
    public record Metadata(Map<String, String> labels, Map<String, String> annotations) {
        public static final Metadata NONE = new Metadata(Map.of(), Map.of());

        public Metadata {
            labels = Map.copyOf(labels);
            annotations = Map.copyOf(annotations);
        }
    }

    /**
     * What a pod asks of its network beside an address.
     *
     * @param ingress how fast traffic to it may be, in bytes a second, above zero; empty for no limit
     * @param egress how fast traffic from it may be, in bytes a second, above zero; empty for no limit
     */
    public record PodNetworkSpec(OptionalLong ingress, OptionalLong egress, boolean ownEni) {
        public static final PodNetworkSpec NONE = new PodNetworkSpec(OptionalLong.empty(), OptionalLong.empty(), false);
    }

    /**
     * A pod as it was last seen: what the node uses when the API server does not answer.
     *
     * @param lastSeen when it was last seen alive
     * @param expires empty while the pod is there, as far as is known; once it is gone, when the copy goes, too
     */
    public record PodCopy(Pod pod, Instant lastSeen, Optional<Instant> expires) {}
}

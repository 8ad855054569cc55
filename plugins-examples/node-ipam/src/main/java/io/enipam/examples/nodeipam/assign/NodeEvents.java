package io.enipam.examples.nodeipam.assign;

import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Makes events about nodes. Thread-safe. */
public final class NodeEvents {
    private static final int TRIES = 3;

    private final Cluster cluster;

    public NodeEvents(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The reasons, with the names, sources and types that Kubernetes gives them. */
    public enum Reason {
        CIDR_NOT_AVAILABLE("CIDRNotAvailable", "cidrAllocator", false),
        CIDR_ASSIGNMENT_FAILED("CIDRAssignmentFailed", "cidrAllocator", false),
        INVALID_MODE("CloudCIDRAllocatorInvalidMode", "cloudCIDRAllocator", true),
        MISMATCH("CloudCIDRAllocatorMismatch", "cloudCIDRAllocator", true),
        INVALID_POD_CIDR("CloudCIDRAllocatorInvalidPodCIDR", "cloudCIDRAllocator", true);

        private final String text;
        private final String source;
        private final boolean warning;

        Reason(String text, String source, boolean warning) {
            this.text = text;
            this.source = source;
            this.warning = warning;
        }
    }

    /** An event as the arguments of an effect. */
    public static String text(Reason reason, String why) {
        return reason.name() + " " + why;
    }

    /** Makes the event of an effect's arguments, by this leader or the next one; none if the node is not there any more. */
    public CompletionStage<EffectResult> perform(Optional<ClusterObject> node, String text) {
        int blank = text.indexOf(' ');
        return node.map(now -> report(now, Reason.valueOf(text.substring(0, blank)), text.substring(blank + 1)))
                .orElseGet(() -> CompletableFuture.completedStage(true))
                .thenApply(told -> told || cluster.leads()
                        ? EffectResult.performed()
                        : Failed.of(ErrorKind.UNAVAILABLE, "the next leader tells it"));
    }

    /**
     * Makes an event about a node; one that cannot be made keeps nothing else from being done.
     *
     * @return whether it was made
     */
    public CompletionStage<Boolean> report(ClusterObject node, Reason reason, String why) {
        String message = "Node " + node.name() + " status is now: " + reason.text + ": " + why;
        return report(node, new ClusterEvent(reason.source, reason.warning, reason.text, message), 1);
    }

    private CompletionStage<Boolean> report(ClusterObject node, ClusterEvent event, int attempt) {
        return cluster.report(node, event).thenCompose(reply -> {
            if (reply.failure().isEmpty()) {
                return CompletableFuture.completedStage(true);
            }
            if (attempt < TRIES && !reply.is(ErrorKind.DEADLINE_EXCEEDED)) {
                return report(node, event, attempt + 1);
            }
            return CompletableFuture.completedStage(false);
        });
    }
}

package io.enipam.engine.port;

import io.enipam.engine.model.Pod;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The pods of this node, as the API server knows them. Thread-safe. Stages fail with {@link java.io.IOException}. */
public interface PodDirectory {
    /** Looks one pod up, asking the source of truth and no cache. Empty: there is no such pod. */
    CompletionStage<Optional<Pod>> find(PodRef pod);

    /**
     * The same for callers that may take the pod's address away: anything but a certain answer of the source of truth
     * is a failure.
     */
    default CompletionStage<PodLookupResult> locate(PodRef pod) {
        return find(pod)
                .thenApply(found -> found.<PodLookupResult>map(PodLookupResult.OnThisNode::new)
                        .orElseGet(PodLookupResult.NotFound::new));
    }

    /**
     * A pod in its last known state, however old; makes no request and does not block. Empty if no pod of the name is
     * known, or it is gone. It is the pod of a UID for certain if it has that UID.
     */
    default Optional<Pod> lastKnown(PodRef pod) {
        return Optional.empty();
    }

    /** All pods of the node. May come from a cache: nothing is destroyed because of this list alone. */
    CompletionStage<List<Pod>> list();

    /** Why a pod that is there gets nothing on this node; empty for one that is served. */
    default Optional<String> refusal(Pod pod) {
        return Optional.empty();
    }

    /** The same, asking the source of truth and no cache. Asked seldom. */
    default CompletionStage<List<Pod>> listUncached() {
        return list();
    }

    /**
     * Makes sure that this is the source of truth for this very node, which may have another name there than
     * configured, or be in another cluster. Called before anything is destroyed because of its answers; fails with what
     * is wrong.
     */
    default CompletionStage<Void> verifyIdentity() {
        return CompletableFuture.completedFuture(null);
    }

    /** How long to wait for a second look where most of the node's pods seem to be gone; zero if this cannot err. */
    default Duration recheckDelay() {
        return Duration.ZERO;
    }

    /** The source's name for an operator, in a word or two. */
    default String source() {
        return "API server";
    }

    /**
     * Whether an ADD goes on by its own parameters when this directory does not answer and no copy of the pod is kept.
     */
    default boolean allowsUnknownPods() {
        return true;
    }

    /**
     * Whether a pod that is not in the list is missing. False if no source can be asked: then the list proves nothing.
     */
    default boolean isAuthoritative() {
        return true;
    }

    /** Where the source of truth has a pod of a name. */
    public sealed interface PodLookupResult {
        /** On this node, or on none yet. */
        record OnThisNode(Pod pod) implements PodLookupResult {}

        /**
         * On another node. Pods do not move: it is another pod than the one of this node, or this node is taken for
         * another.
         */
        record OnOtherNode(Pod pod, String node) implements PodLookupResult {}

        /** There is no such pod, nor one of that name that could have an address of this node. */
        record NotFound() implements PodLookupResult {}
    }
}

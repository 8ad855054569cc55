package io.enipam.kubernetes.pods;

import io.enipam.sdk.PodRef;

/** Told by the watch. Called on one thread; must not block, since the next event waits for it. */
public interface PodListener {
    /** A pod of this node is there, or has changed. Not told of pods in the node's own network. */
    void onPod(ParsedManifest manifest);

    /** A pod of this node has finished, was deleted, was missing when the watch listed them anew, or has a successor of its name. */
    void onPodEnded(PodRef pod, String why);

    /** The API server has answered, or does not: told when that changes. */
    void onReachable(boolean reachable, String why);

    /** Anything at all was heard: a list, or a change of any pod, those in the node's own network included. */
    default void onEvent() {}
}

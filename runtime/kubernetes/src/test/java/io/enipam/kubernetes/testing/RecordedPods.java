package io.enipam.kubernetes.testing;

import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.kubernetes.pods.PodInformer.PodListener;
import io.enipam.sdk.PodRef;
import java.util.Queue;

/** Adds a line for all that an informer tells. */
public record RecordedPods(Queue<String> told) implements PodListener {
    @Override
    public void onPod(ParsedManifest manifest) {
        told.add("seen " + manifest.pod().ref());
    }

    @Override
    public void onPodEnded(PodRef pod, String why) {
        told.add("over " + pod + ": " + why);
    }

    @Override
    public void onReachable(boolean reachable, String why) {
        told.add("reachable " + reachable);
    }
}

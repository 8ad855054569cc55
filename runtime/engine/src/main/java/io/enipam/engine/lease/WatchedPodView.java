package io.enipam.engine.lease;

import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.port.PodDirectory;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a resource as a policy sees it. What the watch knows of the pod is looked up when a policy reads it first,
 * and then kept: a snapshot has a view for each of some thousand resources, and most policies read no label. Thread-safe.
 */
public final class WatchedPodView implements PodView {
    private final PodRef ref;
    private final PodDirectory pods;
    private @Nullable Metadata known;

    public WatchedPodView(PodRef ref, PodDirectory pods) {
        this.ref = ref;
        this.pods = pods;
    }

    @Override
    public PodRef ref() {
        return ref;
    }

    @Override
    public Map<String, String> labels() {
        return metadata().labels();
    }

    @Override
    public Map<String, String> annotations() {
        return metadata().annotations();
    }

    private synchronized Metadata metadata() {
        Metadata now = known;
        if (now == null) {
            now = pods.lastKnown(ref).map(Pod::metadata).orElse(Metadata.NONE);
            known = now;
        }
        return now;
    }

    @Override
    public String toString() {
        return ref.toString();
    }
}

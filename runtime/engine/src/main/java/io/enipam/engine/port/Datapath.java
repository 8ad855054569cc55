package io.enipam.engine.port;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** What one pod needs in the kernel. Thread-safe. Every operation is idempotent. */
public interface Datapath {
    /**
     * Connects a pod.
     *
     * @param netns path of the pod's network namespace, or empty text for a simulated pod, which has none
     * @return fails if the kernel could not be set up; what was done is undone before
     */
    CompletionStage<Void> setUp(Lease lease, String netns);

    /** Disconnects a pod. A missing namespace or link is success. */
    CompletionStage<Void> tearDown(OwnerKey owner);

    /**
     * The sandboxes that are connected now, in no particular order: what the kernel has, not what was asked of it. Whatever
     * the daemon did before it died shows here, also when its database is lost.
     *
     * @return fails if the kernel could not be read whole; a partial list is never given
     */
    CompletionStage<List<Attachment>> attached();
}

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

    /**
     * The same, telling its steps: one for each thing done to the kernel.
     *
     * @param span the step that all of it is part of; ended by the caller
     */
    default CompletionStage<Void> setUp(Lease lease, String netns, Span span) {
        return setUp(lease, netns);
    }

    /** Disconnects a pod. A missing namespace or link is success. */
    CompletionStage<Void> tearDown(OwnerKey owner);

    /** The same, telling its steps as {@link #setUp(Lease, String, Span)} does. */
    default CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        return tearDown(owner);
    }

    /**
     * The sandboxes that are connected now, in no particular order: what the kernel has, not what was asked of it. Whatever
     * the daemon did before it died shows here, also when its database is lost.
     *
     * @return fails if the kernel could not be read whole; a partial list is never given
     */
    CompletionStage<List<Attachment>> attached();
}

package io.enipam.daemon.platform;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The datapath of pods without a network namespace: there is nothing to set up. */
public final class SimulatedDatapath implements Datapath {
    @Override
    public CompletionStage<Void> setUp(Lease lease, String netns) {
        return netns.isEmpty()
                ? CompletableFuture.completedStage(null)
                : CompletableFuture.failedStage(new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "this daemon connects no network namespaces, and was given " + netns,
                        "call without a network namespace: the pod is simulated"));
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner) {
        return CompletableFuture.completedStage(null);
    }
}

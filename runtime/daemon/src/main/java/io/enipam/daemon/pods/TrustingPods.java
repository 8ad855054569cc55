package io.enipam.daemon.pods;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Pod;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Believes that every pod exists: there is no cluster to ask. Garbage collection therefore finds nothing; a lease ends by
 * its DEL alone.
 */
public final class TrustingPods implements NodePods {
    private final Map<PodRef, Pod> seen = new ConcurrentHashMap<>();

    @Override
    public void admit(PodRef pod, String leaseUid) {
        seen.put(pod, new Pod(pod, leaseUid, false, Duration.ZERO));
    }

    @Override
    public void delete(PodRef pod) {
        throw new IpamException(
                ErrorCode.INVALID_ARGUMENT,
                "pod " + pod + " cannot be deleted: pods are simulated in a sandbox only",
                "run the daemon with --emulate, or delete the pod where it runs");
    }

    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return CompletableFuture.completedStage(
                Optional.of(seen.getOrDefault(pod, new Pod(pod, "", false, Duration.ZERO))));
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return CompletableFuture.completedStage(List.copyOf(seen.values()));
    }
}

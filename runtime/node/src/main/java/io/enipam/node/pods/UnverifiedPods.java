package io.enipam.node.pods;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Pod;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Assumes that every pod exists: there is no cluster to ask. Garbage collection therefore finds nothing; only a DEL
 * ends a lease. It lists no pods, and declares that absence proves nothing.
 *
 * <p>It remembers only the runtimes' UIDs of the pods admitted last, for the leases that are being made for them.
 * Thread-safe; {@code this} guards them.
 */
public final class UnverifiedPods implements NodePods {
    @Override
    public String source() {
        return "the call itself";
    }

    /** Four times the pods of the largest node. */
    static final int MOST = 1024;

    private final Map<PodRef, String> uids = new LinkedHashMap<>();

    @Override
    public synchronized void admit(PodRef pod, String leaseUid) {
        uids.remove(pod);
        if (!leaseUid.isEmpty()) {
            uids.put(pod, leaseUid);
        }
        if (uids.size() > MOST) {
            uids.remove(uids.keySet().iterator().next());
        }
    }

    synchronized int lastKnown() {
        return uids.size();
    }

    @Override
    public void delete(PodRef pod) {
        throw new IpamException(
                ErrorCode.INVALID_ARGUMENT,
                "pod " + pod + " cannot be deleted: pods are simulated in a sandbox only",
                "run the daemon with --emulate, or delete the pod where it runs");
    }

    @Override
    public synchronized CompletionStage<Optional<Pod>> find(PodRef pod) {
        return CompletableFuture.completedStage(
                Optional.of(new Pod(pod, uids.getOrDefault(pod, ""), false, Duration.ZERO)));
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return CompletableFuture.completedStage(List.of());
    }

    @Override
    public boolean isAuthoritative() {
        return false;
    }
}

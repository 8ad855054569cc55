package io.enipam.node.cluster;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.kubernetes.pods.ApiServerPodDirectory;
import io.enipam.node.pods.NodePods;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The pods of a node in a cluster: nobody here makes or deletes one. Thread-safe.
 *
 * @param trustsCalls whether an ADD goes on by its own parameters when the API server does not answer
 * @param refusals why a pod gets nothing on this node
 */
record ClusterNodePods(ApiServerPodDirectory pods, boolean trustsCalls, Function<Pod, Optional<String>> refusals)
        implements NodePods {
    @Override
    public void admit(PodRef pod, String leaseUid) {
        // the API server knows who is there
    }

    @Override
    public void delete(PodRef pod) {
        throw new IpamException(
                ErrorCode.INVALID_ARGUMENT,
                "pod " + pod + " cannot be deleted here: pods are simulated in a sandbox only",
                "delete it where it is known: kubectl delete pod -n " + pod.namespace() + " " + pod.name());
    }

    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return pods.find(pod);
    }

    @Override
    public Optional<Pod> lastKnown(PodRef pod) {
        return pods.lastKnown(pod);
    }

    @Override
    public Optional<String> refusal(Pod pod) {
        return refusals.apply(pod);
    }

    @Override
    public CompletionStage<PodLookupResult> locate(PodRef pod) {
        return pods.locate(pod);
    }

    @Override
    public CompletionStage<List<Pod>> listUncached() {
        return pods.listUncached();
    }

    @Override
    public CompletionStage<Void> verifyIdentity() {
        return pods.verifyIdentity();
    }

    @Override
    public Duration recheckDelay() {
        return pods.recheckDelay();
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return pods.list();
    }
}

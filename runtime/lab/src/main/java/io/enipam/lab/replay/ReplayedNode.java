package io.enipam.lab.replay;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.Span;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The API server and the kernel of a replayed node: they know the trace's pods, and take no time. What a replay measures is the wait
 * for addresses, which neither has a part in. Not thread-safe: one thread of a node runs at a time.
 */
final class ReplayedNode implements PodDirectory, Datapath {
    private final Map<PodRef, Pod> pods = new TreeMap<>();
    private final Map<OwnerKey, Attachment> attached = new TreeMap<>();

    void put(Pod pod) {
        pods.put(pod.ref(), pod);
    }

    /** The pod is gone, unless another of its name has come. */
    void remove(Pod pod) {
        pods.remove(pod.ref(), pod);
    }

    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return CompletableFuture.completedStage(Optional.ofNullable(pods.get(pod)));
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return CompletableFuture.completedStage(List.copyOf(pods.values()));
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        var lease = connection.lease();
        attached.put(
                lease.owner(),
                new Attachment(
                        lease.owner(),
                        Optional.of(lease.pod()),
                        lease.podUid(),
                        lease.resource().addresses().stream().map(Address::ip).collect(Collectors.toSet())));
        return CompletableFuture.completedStage(DatapathResult.NONE);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        attached.remove(owner);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return CompletableFuture.completedStage(List.copyOf(attached.values()));
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.kubernetes.pods.WatchedPod;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.Eni;
import io.enipam.v1.GetEniReply;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetPodReply;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.PodInfo;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls about what this node has: the pool, its leases, the ENIs, the pods. Thread-safe. */
final class InventoryHandler {
    private final ServiceContext served;

    InventoryHandler(ServiceContext served) {
        this.served = served;
    }

    GetPoolReply pool() {
        return GetPoolReply.newBuilder()
                .setPool(PoolMapper.pool(served.engine().pool(), served.engine().capacityOverride()))
                .build();
    }

    void idle(StreamObserver<ListIdleReply> observer) {
        ChunkedReply.send(
                observer,
                PoolMapper.notLent(served.engine().pool()),
                entries -> ListIdleReply.newBuilder().addAllEntries(entries).build());
    }

    void inUse(StreamObserver<ListInUseReply> observer) {
        Map<OwnerKey, ResourceState> states =
                ReconcileMapper.states(served.engine().pool());
        ChunkedReply.send(
                observer,
                served.engine().leases(),
                leases -> ListInUseReply.newBuilder()
                        .addAllLeases(leases.stream()
                                .map(lease -> LeaseMapper.lease(lease, states))
                                .toList())
                        .build());
    }

    ListEnisReply enis() {
        return ListEnisReply.newBuilder().addAllEnis(all()).build();
    }

    GetEniReply eni(GetEniRequest request) {
        return all().stream()
                .filter(eni -> eni.getId().equals(request.getId()))
                .findFirst()
                .map(eni -> GetEniReply.newBuilder().setEni(eni).build())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND,
                        "this node has no ENI '" + request.getId() + "'",
                        "'eni list' shows the ENIs there are"));
    }

    private List<Eni> all() {
        return EniMapper.enis(served.enis().enis(), served.engine().pool());
    }

    void pods(StreamObserver<ListPodsReply> observer) {
        ChunkedReply.send(
                observer,
                this::pods,
                chunk -> ListPodsReply.newBuilder().addAllPods(chunk).build(),
                ChunkedReply.CHUNK);
    }

    /** Before the API server said anything these are the pods of the leases, in a phase that nobody knows. */
    private List<PodInfo> pods() {
        // out of the memory of whoever stands behind the directory, so its stage is complete at once
        List<WatchedPod> known =
                silent().isPresent() ? List.of() : known().toCompletableFuture().join();
        return PodMapper.union(
                known,
                served.engine().leases(),
                ReconcileMapper.states(served.engine().pool()),
                knowsAll());
    }

    /** Why nothing is known of the pods yet; empty if they were listed once, or no cluster is asked. */
    private Optional<String> silent() {
        return served.cluster()
                .map(cluster -> cluster.state().watch())
                .filter(watch -> !watch.listed())
                .map(WatchState::trouble);
    }

    /** Of a cluster those that were heard of last, whether or not it is heard now. */
    private CompletionStage<List<WatchedPod>> known() {
        if (served.cluster().isEmpty()) {
            return served.pods()
                    .list()
                    .thenApply(pods -> pods.stream().map(PodMapper::plain).toList());
        }
        ClusterInspector cluster = served.cluster().get();
        return silent().<CompletionStage<List<WatchedPod>>>map(
                        trouble -> CompletableFuture.failedStage(new IpamException(
                                ErrorCode.TRY_AGAIN,
                                "the pods of this node were not listed yet: " + trouble,
                                "'status' says how the API server fares; 'pool inuse' shows the leases")))
                .orElseGet(() -> CompletableFuture.completedStage(cluster.pods()));
    }

    /** Whether a pod that nobody knows is gone: not while the API server is not heard. */
    private boolean knowsAll() {
        return served.cluster()
                .map(cluster -> cluster.state().watch())
                .map(watch -> watch.listed() && watch.heard())
                .orElse(true);
    }

    void pod(GetPodRequest request, StreamObserver<GetPodReply> observer) {
        UnaryReplies.async(
                observer,
                () -> pod(UnaryReplies.pod(request.getPod())),
                pod -> GetPodReply.newBuilder().setPod(pod).build());
    }

    private CompletionStage<PodInfo> pod(PodRef ref) {
        // only what was admitted counts here: a directory that believes in every pod would know them all
        return known().thenApply(known -> PodMapper.one(
                        ref,
                        known.stream()
                                .filter(seen -> seen.pod().ref().equals(ref))
                                .findFirst(),
                        served.engine().leasesOf(ref),
                        ReconcileMapper.states(served.engine().pool()),
                        knowsAll())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND, "there is no pod " + ref, "'pod list' shows the pods there are")));
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod.PodDetails;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.GetEniReply;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetPodReply;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.PodInfo;
import io.enipam.v1.PoolEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What this node has: the pool, its leases, the ENIs, the pods. Thread-safe. */
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

    List<PoolEntry> idle() {
        return PoolMapper.notLent(served.engine().pool());
    }

    List<io.enipam.v1.Lease> inUse() {
        Map<OwnerKey, ResourceState> states = PoolMapper.states(served.engine().pool());
        return served.engine().leases().stream()
                .map(lease -> PoolMapper.lease(lease, states))
                .toList();
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
        return enis(served.cloud().enis().enis(), served.engine().pool());
    }

    /** Before the first list of the API server, these are the pods of the leases, in an unknown phase. */
    List<PodInfo> pods() {
        // the directory answers from memory, so its stage is complete at once
        List<WatchedPod> known =
                silent().isPresent() ? List.of() : known().toCompletableFuture().join();
        return union(
                known,
                served.engine().leases(),
                PoolMapper.states(served.engine().pool()),
                knowsAll());
    }

    /** Why nothing is known of the pods yet; empty if they were listed once, or no cluster is asked. */
    private Optional<String> silent() {
        return served.node()
                .cluster()
                .map(cluster -> cluster.state().watch())
                .filter(watch -> !watch.listed())
                .map(WatchState::trouble);
    }

    /** The last known pods of a cluster, whether or not it is connected now. */
    private CompletionStage<List<WatchedPod>> known() {
        if (served.node().cluster().isEmpty()) {
            return served.node()
                    .pods()
                    .list()
                    .thenApply(
                            pods -> pods.stream().map(InventoryHandler::plain).toList());
        }
        ClusterInspector cluster = served.node().cluster().get();
        return silent().<CompletionStage<List<WatchedPod>>>map(
                        trouble -> CompletableFuture.failedStage(new IpamException(
                                ErrorCode.TRY_AGAIN,
                                "the pods of this node were not listed yet: " + trouble,
                                "'status' says how the API server fares; 'pool inuse' shows the leases")))
                .orElseGet(() -> CompletableFuture.completedStage(cluster.pods()));
    }

    /** Whether a pod that is not in the list is gone: not while the watch of the API server is broken. */
    private boolean knowsAll() {
        return served.node()
                .cluster()
                .map(cluster -> cluster.state().watch())
                .map(watch -> watch.listed() && watch.heard())
                .orElse(true);
    }

    CompletionStage<GetPodReply> pod(GetPodRequest request) {
        return pod(GrpcFailures.pod(request.getPod()))
                .thenApply(pod -> GetPodReply.newBuilder().setPod(pod).build());
    }

    private CompletionStage<PodInfo> pod(PodRef ref) {
        // only what was admitted counts here: a directory that believes in every pod would know them all
        return known().thenApply(known -> one(
                        ref,
                        known.stream()
                                .filter(seen -> seen.pod().ref().equals(ref))
                                .findFirst(),
                        served.engine().leasesOf(ref),
                        PoolMapper.states(served.engine().pool()),
                        knowsAll())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND, "there is no pod " + ref, "'pod list' shows the pods there are")));
    }

    /** A pod of which nothing is known but what the engine asks for. */
    static WatchedPod plain(Pod pod) {
        return new WatchedPod(pod, PodDetails.NONE, "");
    }

    /**
     * The union of both, by name.
     *
     * @param all whether these are all pods that there are, so that others are gone
     */
    static List<PodInfo> union(
            List<WatchedPod> known, List<Lease> leases, Map<OwnerKey, ResourceState> states, boolean all) {
        Map<String, PodInfo.Builder> pods = new TreeMap<>();
        known.forEach(seen -> pods.put(seen.pod().ref().toString(), info(seen)));
        leases.forEach(lease -> pods.computeIfAbsent(
                        lease.pod().toString(),
                        name -> PodInfo.newBuilder()
                                .setPod(name)
                                .setUid(lease.podUid())
                                .setPhase(all ? "" : "Unknown"))
                .addLeases(PoolMapper.lease(lease, states)));
        return Proto.all(pods.values(), PodInfo.Builder::build);
    }

    /** One pod, or empty if neither side knows it. */
    static Optional<PodInfo> one(
            PodRef ref,
            Optional<WatchedPod> known,
            List<Lease> leases,
            Map<OwnerKey, ResourceState> states,
            boolean all) {
        List<Lease> own = leases.stream().filter(l -> l.pod().equals(ref)).toList();
        return union(known.map(List::of).orElse(List.of()), own, states, all).stream()
                .findFirst();
    }

    private static PodInfo.Builder info(WatchedPod seen) {
        Pod pod = seen.pod();
        PodInfo.Builder info = PodInfo.newBuilder()
                .setPod(pod.ref().toString())
                .setUid(pod.uid())
                .setKnown(true)
                .setFinished(pod.finished())
                .setPhase(seen.details().phase())
                .setOwner(seen.details().owner())
                .addAllToldAddresses(Proto.all(pod.addresses(), AddressFormat::text));
        seen.details().deleting().ifPresent(since -> info.setDeleting(Proto.timestamp(since)));
        if (!pod.stick().isZero()) {
            info.setStick(Proto.duration(pod.stick()));
        }
        return info;
    }

    static List<Eni> enis(List<EniDirectory.Eni> enis, PoolView pool) {
        Map<String, PoolView.Entry> byPlace = new HashMap<>();
        pool.entries()
                .forEach(entry -> entry.resource()
                        .addresses()
                        .forEach(address -> byPlace.put(place(eniOf(entry.resource()), address.host()), entry)));
        return enis.stream().map(eni -> eni(eni, byPlace)).toList();
    }

    private static Eni eni(EniDirectory.Eni eni, Map<String, PoolView.Entry> byPlace) {
        return Eni.newBuilder()
                .setId(eni.id())
                .setMac(eni.mac())
                .setState(eni.state())
                .setPrimaryIp(eni.primaryIp())
                .setVswitch(eni.vswitch())
                .setAddressLimit(eni.addressLimit())
                .addAllAddresses(eni.addresses().stream()
                        .map(a -> address(eni, a, byPlace))
                        .toList())
                .addAllIpv6Addresses(
                        eni.ipv6s().stream().map(a -> address(eni, a, byPlace)).toList())
                .setQueued(eni.queued())
                .setSince(Proto.timestamp(eni.since()))
                .build();
    }

    private static EniAddress address(EniDirectory.Eni eni, String text, Map<String, PoolView.Entry> byPlace) {
        String host = Address.parse(text).host();
        EniAddress.Builder wire = EniAddress.newBuilder()
                .setAddress(text)
                .setPrimary(!eni.primaryIp().isEmpty()
                        && host.equals(Address.parse(eni.primaryIp()).host()));
        PoolView.Entry entry = byPlace.get(place(eni.id(), host));
        if (entry != null) {
            wire.setState(entry.state().name());
            entry.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        }
        return wire.build();
    }

    /** What stands alone may be an ENI itself. */
    private static String eniOf(Resource resource) {
        return resource.parent().isEmpty() ? resource.id().value() : resource.parent();
    }

    private static String place(String eni, String host) {
        return eni + " " + host;
    }
}

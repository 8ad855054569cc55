package io.enipam.frontends.rpc;

import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
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
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.PodInfo;
import io.enipam.v1.Pool;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What this node has: the pool, its leases, the ENIs, the pods. Thread-safe. */
record InventoryHandler(ServiceContext served, ServiceContext.Node node) {
    Pool pool() {
        return PoolMapper.pool(served.engine().poolSummary(), served.engine().capacityOverride());
    }

    List<PoolView.Entry> idle() {
        return PoolMapper.notLent(served.engine().pool());
    }

    List<io.enipam.v1.Lease> inUse() {
        Map<OwnerKey, ResourceState> states = PoolMapper.states(served.engine().pool());
        return Proto.all(served.engine().leases(), lease -> PoolMapper.lease(lease, states));
    }

    Eni eni(GetEniRequest request) {
        return enis().stream()
                .filter(eni -> eni.getId().equals(request.getId()))
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND,
                        "this node has no ENI '" + request.getId() + "'",
                        "'eni list' shows the ENIs there are"));
    }

    /** Before the first list of the API server, these are the pods of the leases, in an unknown phase. */
    List<PodInfo> pods() {
        // the directory answers from memory, so its stage is complete at once
        List<WatchedPod> known =
                silent().isPresent() ? List.of() : known().toCompletableFuture().join();
        return union(known, served.engine().leases(), served.plugins().claims().all());
    }

    /** Why nothing is known of the pods yet; empty if they were listed once, or no cluster is asked. */
    private Optional<String> silent() {
        return node.cluster()
                .map(cluster -> cluster.state().watch())
                .filter(watch -> !watch.listed())
                .map(WatchState::trouble);
    }

    /** The last known pods of a cluster, whether or not it is connected now. */
    private CompletionStage<List<WatchedPod>> known() {
        if (node.cluster().isEmpty()) {
            return node.pods().list().thenApply(pods -> Proto.all(pods, InventoryHandler::plain));
        }
        ClusterInspector cluster = node.cluster().get();
        return silent().<CompletionStage<List<WatchedPod>>>map(
                        trouble -> CompletableFuture.failedStage(new IpamException(
                                ErrorCode.TRY_AGAIN,
                                "the pods of this node were not listed yet: " + trouble,
                                "'status' says how the API server fares; 'pool inuse' shows the leases")))
                .orElseGet(() -> CompletableFuture.completedStage(cluster.pods()));
    }

    /** Whether a pod that is not in the list is gone: not while the watch of the API server is broken. */
    private boolean knowsAll() {
        return node.cluster()
                .map(cluster -> cluster.state().watch())
                .map(watch -> watch.listed() && watch.heard())
                .orElse(true);
    }

    CompletionStage<PodInfo> pod(GetPodRequest request) {
        PodRef ref = GrpcFailures.pod(request.getPod());
        // only what was admitted counts here: a directory that believes in every pod would know them all
        return known().thenApply(known -> union(
                        known.stream()
                                .filter(seen -> seen.pod().ref().equals(ref))
                                .toList(),
                        served.engine().leasesOf(ref),
                        served.plugins().claims().all().stream()
                                .filter(claim -> claim.pod().equals(Optional.of(ref)))
                                .toList())
                .stream()
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND, "there is no pod " + ref, "'pod list' shows the pods there are")));
    }

    /** A pod of which nothing is known but what the engine asks for. */
    private static WatchedPod plain(Pod pod) {
        return new WatchedPod(pod, PodDetails.NONE, "");
    }

    private List<PodInfo> union(List<WatchedPod> known, List<Lease> leases, List<ServedClaim> claims) {
        Map<OwnerKey, ResourceState> states = PoolMapper.states(served.engine().pool());
        String unseen = knowsAll() ? "" : "Unknown";
        Map<String, PodInfo.Builder> pods = new TreeMap<>();
        known.forEach(seen -> pods.put(seen.pod().ref().toString(), info(seen)));
        leases.forEach(lease -> pods.computeIfAbsent(
                        lease.pod().toString(), name -> unlisted(name, lease.podUid(), unseen))
                .addLeases(PoolMapper.lease(lease, states)));
        GrantMapper grants = new GrantMapper(served.plugins().effects());
        claims.forEach(claim -> claim.pod()
                .ifPresent(pod -> pods.computeIfAbsent(
                                pod.toString(),
                                name -> unlisted(name, claim.held().uid(), unseen))
                        .addGrants(grants.grant(claim))));
        markTroubled(pods);
        return pods.values().stream()
                .map(PodInfo.Builder::build)
                .sorted(Comparator.comparing(pod -> pod.getTrouble().isEmpty()))
                .toList();
    }

    /** Pods that lost their address, and pods whose ADD waits or has failed. */
    private void markTroubled(Map<String, PodInfo.Builder> pods) {
        Map<String, Event> refusals = new HashMap<>();
        served.diagnosis().events().after(0).forEach(event -> {
            if (event.type().equals("LeaseRefused")) {
                refusals.putIfAbsent(event.subject(), event);
            } else if (event.type().startsWith("Lease")) {
                refusals.remove(event.subject());
            }
        });
        refusals.forEach((pod, event) -> Optional.ofNullable(pods.get(pod))
                .filter(info -> info.getLeasesCount() == 0 && !info.getFinished())
                .ifPresent(info -> mark(info, "WAITING " + event.attributes().getOrDefault("code", ""), event.at())));
        served.engine().pendingWork().queue().stream()
                .filter(waiter -> !refusals.containsKey(waiter.pod().toString()))
                .forEach(waiter -> Optional.ofNullable(pods.get(waiter.pod().toString()))
                        .ifPresent(info -> mark(info, "WAITING " + ErrorCode.POOL_EXHAUSTED, waiter.since())));
        troubles()
                .forEach(trouble -> trouble.lost()
                        .forEach(pod -> Optional.ofNullable(pods.get(pod))
                                .ifPresent(info -> mark(info, "LOST ADDRESS", trouble.since()))));
    }

    private static void mark(PodInfo.Builder info, String trouble, Instant since) {
        info.setTrouble(trouble).setTroubleSince(Proto.timestamp(since));
    }

    private List<Trouble> troubles() {
        return served.troubles().find().troubles();
    }

    private static PodInfo.Builder unlisted(String name, String uid, String phase) {
        return PodInfo.newBuilder().setPod(name).setUid(uid).setPhase(phase);
    }

    private static PodInfo.Builder info(WatchedPod seen) {
        Pod pod = seen.pod();
        PodInfo.Builder info = Proto.fill(PodInfo.newBuilder(), pod, seen.details())
                .setPod(pod.ref().toString())
                .setKnown(true)
                .addAllToldAddresses(Proto.all(pod.addresses(), AddressFormat::text));
        return pod.stick().isZero() ? info.clearStick() : info;
    }

    List<Eni> enis() {
        Map<String, PoolView.Entry> byPlace = new HashMap<>();
        for (PoolView.Entry entry : served.engine().pool().entries()) {
            Resource resource = entry.resource();
            // what has no parent may be an ENI itself
            String eni = resource.parent().isEmpty() ? resource.id().value() : resource.parent();
            resource.addresses().forEach(address -> byPlace.put(eni + " " + address.host(), entry));
        }
        List<Trouble> troubles = troubles();
        return Proto.all(node.cloud().enis().enis(), eni -> eni(eni, byPlace, troubles));
    }

    private static Eni eni(EniDirectory.Eni eni, Map<String, PoolView.Entry> byPlace, List<Trouble> troubles) {
        Eni.Builder wire = Eni.newBuilder()
                .addAllAddresses(Proto.all(eni.addresses(), address -> address(eni, address, byPlace)))
                .addAllIpv6Addresses(Proto.all(eni.ipv6s(), address -> address(eni, address, byPlace)));
        troubles.stream()
                .filter(trouble -> trouble.enis().contains(eni.id()))
                .findFirst()
                .ifPresent(
                        trouble -> wire.setTrouble(trouble.text()).setTroubleSince(Proto.timestamp(trouble.since())));
        return Proto.fill(wire, eni).build();
    }

    private static EniAddress address(EniDirectory.Eni eni, String text, Map<String, PoolView.Entry> byPlace) {
        String host = Address.parse(text).host();
        EniAddress.Builder wire = EniAddress.newBuilder()
                .setAddress(text)
                .setPrimary(!eni.primaryIp().isEmpty()
                        && host.equals(Address.parse(eni.primaryIp()).host()));
        PoolView.Entry entry = byPlace.get(eni.id() + " " + host);
        return entry == null ? wire.build() : Proto.fill(wire, entry).build();
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.node.NodeNetworkInfo;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.v1.ClusterCredential;
import io.enipam.v1.ClusterNodeFact;
import io.enipam.v1.ClusterRequestCount;
import io.enipam.v1.ClusterStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The link to the cluster on the wire. */
final class ClusterMapper {
    private static final int TOO_MANY = 429;
    /** As long as the first list may take. */
    private static final Duration MOMENT = Duration.ofSeconds(10);

    private ClusterMapper() {}

    /** @param leases all of this node */
    static ClusterStatus status(ClusterState state, List<Lease> leases) {
        WatchState watch = state.watch();
        ClusterStatus.Builder status = ClusterStatus.newBuilder()
                .setServer(state.server())
                .setNode(state.node())
                .setCredentials(state.credentials())
                .setWatching(watch.heard())
                .setSince(ProtoTime.timestamp(watch.since()))
                .setChanges(watch.changes())
                .setBreaks(watch.breaks())
                .setPods(watch.pods())
                .setRequestsLastMinute(state.traffic().lastMinute())
                .setRequestsPerSecond(state.traffic().perSecond())
                .setThrottled(state.answered(TOO_MANY))
                .setTrustsCalls(state.trustsCalls())
                .setLeasesOnTrust(onTrust(leases))
                .setEventsLost(state.events().lost())
                .setTrouble(watch.heard() ? "" : watch.trouble());
        watch.last().ifPresent(last -> status.setLastHeard(ProtoTime.timestamp(last)));
        state.clockAhead().ifPresent(ahead -> status.setClockAhead(ProtoTime.duration(ahead)));
        return status.build();
    }

    /** A lease names its pod's UID unless nobody could be asked for it. */
    private static int onTrust(List<Lease> leases) {
        return (int) leases.stream()
                .filter(lease -> lease.podUid().isEmpty() && !PlaceholderPod.is(lease.pod()))
                .count();
    }

    /** What is wrong with it and wants somebody to do something. */
    static Optional<String> condition(ClusterState state, Instant now) {
        WatchState watch = state.watch();
        return watch.heard() || now.isBefore(watch.since().plus(MOMENT))
                ? Optional.empty()
                : Optional.of("the API server is not heard: " + watch.trouble());
    }

    static ClusterRequestCount count(RequestStats.Count count) {
        return ClusterRequestCount.newBuilder()
                .setRequest(count.request())
                .setCode(count.code())
                .setTimes(count.times())
                .setLast(ProtoTime.timestamp(count.last()))
                .build();
    }

    static List<ClusterNodeFact> facts(NodeNetworkInfo node) {
        return node.facts().entrySet().stream()
                .map(fact -> ClusterNodeFact.newBuilder()
                        .setName(fact.getKey())
                        .setValue(fact.getValue())
                        .build())
                .toList();
    }

    static ClusterCredential credential(CredentialStatus credential) {
        ClusterCredential.Builder wire = ClusterCredential.newBuilder()
                .setWhat(credential.what())
                .setTrouble(credential.trouble().orElse(""));
        credential.from().ifPresent(from -> wire.setFrom(ProtoTime.timestamp(from)));
        credential.until().ifPresent(until -> wire.setUntil(ProtoTime.timestamp(until)));
        return wire.build();
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.node.ClusterReader.NodeNetworkInfo;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.v1.ClusterCredential;
import io.enipam.v1.ClusterNodeFact;
import io.enipam.v1.ClusterRequestCount;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.GetClusterReply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls about the link to the cluster. Thread-safe. */
final class ClusterHandler {
    private static final int TOO_MANY = 429;
    /** As long as the first list may take. */
    private static final Duration MOMENT = Duration.ofSeconds(10);

    private final ServiceContext served;

    ClusterHandler(ServiceContext served) {
        this.served = served;
    }

    CompletionStage<GetClusterReply> get() {
        return served.node()
                .cluster()
                .map(this::reply)
                .orElseGet(() -> CompletableFuture.completedStage(GetClusterReply.getDefaultInstance()));
    }

    /** A part that cannot be read is reported as trouble, and the others are in the reply. */
    private CompletionStage<GetClusterReply> reply(ClusterInspector cluster) {
        GetClusterReply.Builder reply = GetClusterReply.newBuilder();
        try {
            cluster.credentials().forEach(credential -> reply.addCredentials(credential(credential)));
        } catch (IOException e) {
            reply.setCredentialsTrouble(String.valueOf(e.getMessage()));
        }
        return cluster.node().handle((node, error) -> {
            ClusterState state = cluster.state();
            state.requests().forEach(count -> reply.addRequests(count(count)));
            Optional.ofNullable(node)
                    .flatMap(found -> found)
                    .ifPresentOrElse(
                            word -> reply.addAllNode(facts(word)),
                            () -> reply.setNodeTrouble(
                                    error == null
                                            ? "the cluster has no node " + state.node()
                                            : String.valueOf(Stages.cause(error).getMessage())));
            return reply.setStatus(status(state, served.engine().leases())).build();
        });
    }

    /** @param leases all of this node */
    static ClusterStatus status(ClusterState state, List<Lease> leases) {
        WatchState watch = state.watch();
        ClusterStatus.Builder status = ClusterStatus.newBuilder()
                .setServer(state.server())
                .setNode(state.node())
                .setCredentials(state.credentials())
                .setWatching(watch.heard())
                .setSince(Proto.timestamp(watch.since()))
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
        watch.last().ifPresent(last -> status.setLastHeard(Proto.timestamp(last)));
        state.clockAhead().ifPresent(ahead -> status.setClockAhead(Proto.duration(ahead)));
        return status.build();
    }

    /** A lease names its pod's UID unless the API server could not be reached. */
    private static int onTrust(List<Lease> leases) {
        return (int) leases.stream()
                .filter(lease -> lease.podUid().isEmpty() && !PlaceholderPod.is(lease.pod()))
                .count();
    }

    /** A lasting failure of the connection to the API server, for the conditions of {@code status}. */
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
                .setLast(Proto.timestamp(count.last()))
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
        credential.from().ifPresent(from -> wire.setFrom(Proto.timestamp(from)));
        credential.until().ifPresent(until -> wire.setUntil(Proto.timestamp(until)));
        return wire.build();
    }
}

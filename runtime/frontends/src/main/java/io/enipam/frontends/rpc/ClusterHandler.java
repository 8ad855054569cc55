package io.enipam.frontends.rpc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
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
            cluster.credentials().forEach(credential -> Proto.fill(reply.addCredentialsBuilder(), credential));
        } catch (IOException e) {
            reply.setCredentialsTrouble(String.valueOf(e.getMessage()));
        }
        return cluster.node().handle((node, error) -> {
            ClusterState state = cluster.state();
            state.requests().forEach(count -> Proto.fill(reply.addRequestsBuilder(), count));
            Optional.ofNullable(node)
                    .flatMap(found -> found)
                    .ifPresentOrElse(
                            found -> found.facts()
                                    .forEach((name, value) ->
                                            reply.addNodeBuilder().setName(name).setValue(value)),
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
        ClusterStatus.Builder status = Proto.fill(ClusterStatus.newBuilder(), state, watch)
                .setWatching(watch.heard())
                .setRequestsLastMinute(state.traffic().lastMinute())
                .setRequestsPerSecond(state.traffic().perSecond())
                .setThrottled(state.answered(TOO_MANY))
                .setLeasesOnTrust(onTrust(leases))
                .setEventsLost(state.events().lost())
                .setTrouble(watch.heard() ? "" : watch.trouble());
        watch.last().ifPresent(last -> status.setLastHeard(Proto.timestamp(last)));
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
}

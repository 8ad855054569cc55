package io.enipam.frontends.rpc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.v1.GetClusterReply;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls about the link to the cluster. Thread-safe. */
final class ClusterHandler {
    private final ServiceContext served;

    ClusterHandler(ServiceContext served) {
        this.served = served;
    }

    void get(StreamObserver<GetClusterReply> observer) {
        UnaryReplies.async(
                observer,
                () -> served.cluster()
                        .map(this::reply)
                        .orElseGet(() -> CompletableFuture.completedStage(GetClusterReply.newBuilder())),
                GetClusterReply.Builder::build);
    }

    /** What is not to be had is told: the rest is worth the more then. */
    private CompletionStage<GetClusterReply.Builder> reply(ClusterInspector cluster) {
        GetClusterReply.Builder reply = GetClusterReply.newBuilder();
        try {
            cluster.credentials().forEach(credential -> reply.addCredentials(ClusterMapper.credential(credential)));
        } catch (IOException e) {
            reply.setCredentialsTrouble(String.valueOf(e.getMessage()));
        }
        return cluster.node().handle((node, error) -> {
            ClusterState state = cluster.state();
            state.requests().forEach(count -> reply.addRequests(ClusterMapper.count(count)));
            Optional.ofNullable(node)
                    .flatMap(found -> found)
                    .ifPresentOrElse(
                            word -> reply.addAllNode(ClusterMapper.facts(word)),
                            () -> reply.setNodeTrouble(
                                    error == null
                                            ? "the cluster has no node " + state.node()
                                            : String.valueOf(Stages.cause(error).getMessage())));
            return reply.setStatus(ClusterMapper.status(state, served.engine().leases()));
        });
    }
}

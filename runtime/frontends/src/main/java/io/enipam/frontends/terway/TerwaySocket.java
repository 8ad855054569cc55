package io.enipam.frontends.terway;

import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.frontends.grpc.PeerCredentialNegotiator;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.frontends.grpc.UnixServer;
import io.enipam.frontends.rpc.ServiceTable;
import io.enipam.platform.SocketFile;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.TerwayBackendGrpc;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The socket that terway's CNI plugin calls, for root and the daemon's user alone. */
public final class TerwaySocket implements AutoCloseable {
    private final UnixServer server;

    private TerwaySocket(UnixServer server) {
        this.server = server;
    }

    /**
     * Binds the socket, mode 0600, and serves. A directory that is missing is made.
     *
     * @throws IOException if the socket cannot be made, or a live process serves it: terway's own daemon, as a rule
     */
    public static TerwaySocket open(Path path, int ownUid, TerwayContext context) throws IOException {
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        UnixServer server = UnixServer.open(
                path,
                "terway",
                Map.of(
                        TerwayBackendGrpc.SERVICE_NAME,
                        () -> ServerInterceptors.intercept(
                                TerwayBackendService.of(context), new RootOnlyInterceptor(ownUid))));
        try {
            // the mode keeps others out of the file; the peer's user id is what counts
            SocketFile.keepToOwner(path);
            return new TerwaySocket(server);
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    @Override
    public void close() {
        server.close();
    }

    /**
     * The contract's three calls. A call that cannot be served ends with a status that says why and what to do, within
     * the time that the plugin gives it (120 s); {@code Success} is never false. Thread-safe.
     */
    private record TerwayBackendService(AllocIpHandler allocation) {
        /** What terway's plugin waits; for one that says nothing of its patience. */
        private static final Duration PLUGINS_PATIENCE = Duration.ofSeconds(120);

        /** The time left to undo a failed call and to report it. */
        private static final Duration LAST_WORDS = Duration.ofSeconds(2);

        private static final Logger LOG = LoggerFactory.getLogger(TerwayBackendService.class);

        static ServerServiceDefinition of(TerwayContext context) {
            ActiveAllocations underway = new ActiveAllocations();
            CidrSandboxStore sandboxes = new CidrSandboxStore(context.network().sandboxes());
            ReleaseIpHandler release = new ReleaseIpHandler(context, underway, sandboxes);
            GetIpInfoHandler information = new GetIpInfoHandler(context, underway, sandboxes, release);
            TerwayBackendService service = new TerwayBackendService(new AllocIpHandler(context, underway, sandboxes));
            return new ServiceTable(
                            TerwayBackendGrpc.getServiceDescriptor(), System::nanoTime, TerwayBackendService::refusal)
                    .stream(TerwayBackendGrpc.getAllocIPMethod(), service::allocate)
                            .later(TerwayBackendGrpc.getReleaseIPMethod(), release::release)
                            .later(TerwayBackendGrpc.getGetIPInfoMethod(), information::of)
                            .build();
        }

        private void allocate(AllocIPRequest request, ServerCallStreamObserver<AllocIPReply> caller) {
            allocation.allocate(request, patience()).whenComplete((given, failure) -> {
                if (failure != null) {
                    caller.onError(refusal("AllocIP", failure));
                } else if (caller.isCancelled()) {
                    // the plugin never releases what it did not receive
                    given.undo().get().whenComplete((done, error) -> {
                        if (error != null) {
                            LOG.warn("what a caller that went away was given is left to the garbage collector", error);
                        }
                    });
                } else {
                    caller.onNext(given.reply());
                    caller.onCompleted();
                }
            });
        }

        private static StatusRuntimeException refusal(String call, Throwable failure) {
            StatusRuntimeException words = GrpcFailures.plainStatus(failure);
            LOG.info("{} ends with {}", call, words.getMessage());
            return words;
        }

        /** How long an allocation may take, at least a moment. */
        private static Duration patience() {
            Deadline deadline = Context.current().getDeadline();
            Duration left = deadline == null
                    ? PLUGINS_PATIENCE
                    : Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS));
            Duration most = left.compareTo(PLUGINS_PATIENCE) < 0 ? left : PLUGINS_PATIENCE;
            Duration usable = most.minus(LAST_WORDS);
            return usable.compareTo(Duration.ofMillis(500)) < 0 ? Duration.ofMillis(500) : usable;
        }
    }

    /**
     * Refuses users other than root and the daemon's own, before the message is read.
     *
     * @param ownUid the daemon's user
     */
    record RootOnlyInterceptor(int ownUid) implements ServerInterceptor {
        private static final int ROOT = 0;

        boolean allows(int uid) {
            return uid == ROOT || uid == ownUid;
        }

        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            Peer peer = call.getAttributes().get(PeerCredentialNegotiator.PEER);
            if (peer != null && allows(peer.uid())) {
                return next.startCall(call, headers);
            }
            return PeerCredentialNegotiator.refuse(
                    call,
                    "this socket is for the container runtime's plugin: root and the daemon's user",
                    GrpcFailures::plainStatus);
        }
    }
}

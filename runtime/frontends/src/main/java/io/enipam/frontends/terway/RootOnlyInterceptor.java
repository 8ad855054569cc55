package io.enipam.frontends.terway;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.frontends.grpc.PeerCredentialNegotiator;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Refuses whoever is neither root nor the daemon's own user, before the message is read.
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
        call.close(
                GrpcFailures.plainStatus(new IpamException(
                                ErrorCode.PERMISSION_DENIED,
                                "user id " + (peer == null ? "unknown" : Integer.toUnsignedString(peer.uid()))
                                        + " may not call "
                                        + call.getMethodDescriptor().getFullMethodName(),
                                "this socket is for the container runtime's plugin: root and the daemon's user"))
                        .getStatus(),
                new Metadata());
        return new ServerCall.Listener<>() {};
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;

/** Refuses calls that {@link AccessRules} do not allow, before their message is read. */
final class AccessInterceptor implements ServerInterceptor {
    /** Who calls, for whoever serves the call on its own thread. */
    static final Context.Key<Peer> CALLER = Context.key("enipam-caller");

    private final AccessRules rules;

    AccessInterceptor(AccessRules rules) {
        this.rules = rules;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Peer peer = call.getAttributes().get(PeerCredentialNegotiator.PEER);
        String service = String.valueOf(call.getMethodDescriptor().getServiceName());
        if (peer != null && rules.allows(peer, service)) {
            return Contexts.interceptCall(Context.current().withValue(CALLER, peer), call, headers, next);
        }
        StatusRuntimeException refusal = GrpcFailures.of(new IpamException(
                ErrorCode.PERMISSION_DENIED,
                "user id " + (peer == null ? "unknown" : Integer.toUnsignedString(peer.uid())) + " may not call "
                        + call.getMethodDescriptor().getFullMethodName(),
                "root and the daemon's user may do everything, members of group " + AccessRules.GROUP
                        + " may inspect"));
        call.close(refusal.getStatus(), GrpcFailures.trailersOf(refusal));
        return new ServerCall.Listener<>() {};
    }
}

package io.enipam.frontends.grpc;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.ServerCredentials;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.shaded.io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.shaded.io.grpc.netty.InternalProtocolNegotiators;
import io.grpc.netty.shaded.io.grpc.netty.ProtocolNegotiationEvent;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.PeerCredentials;
import io.grpc.netty.shaded.io.netty.util.AsciiString;
import java.io.IOException;
import java.util.function.Function;

/**
 * Plain text, and in each call's attributes the peer's credentials.
 *
 * <p>gRPC shows a service neither its channel nor the socket. The step between accept and HTTP/2, where TLS and ALTS
 * put what they know of the peer into the transport's attributes, is the place that has both; this handler does what
 * ALTS's does. It uses gRPC's {@code Internal*} classes, which exist for such negotiators and are not covered by its
 * promise of stability; the tests over a real socket notice when they change.
 */
public final class PeerCredentialNegotiator implements InternalProtocolNegotiator.ProtocolNegotiator {
    /** Who called. Always there on a transport of this negotiation. */
    public static final Attributes.Key<Peer> PEER = Attributes.Key.create("enipam-peer");

    private PeerCredentialNegotiator() {}

    static ServerCredentials credentials() {
        return InternalNettyServerCredentials.create(new PeerCredentialNegotiator());
    }

    /**
     * Refuses a call to its peer, before its message is read.
     *
     * @param hint who may make it
     * @param translation of the refusal into a status
     */
    public static <Q, R> ServerCall.Listener<Q> refuse(
            ServerCall<Q, R> call, String hint, Function<IpamException, StatusRuntimeException> translation) {
        Peer peer = call.getAttributes().get(PEER);
        StatusRuntimeException refusal = translation.apply(new IpamException(
                ErrorCode.PERMISSION_DENIED,
                "user id " + (peer == null ? "unknown" : Integer.toUnsignedString(peer.uid())) + " may not call "
                        + call.getMethodDescriptor().getFullMethodName(),
                hint));
        call.close(refusal.getStatus(), GrpcFailures.trailersOf(refusal));
        return new ServerCall.Listener<>() {};
    }

    @Override
    public AsciiString scheme() {
        return AsciiString.of("http");
    }

    @Override
    public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
        ChannelHandler last = InternalProtocolNegotiators.grpcNegotiationHandler(grpc);
        return InternalProtocolNegotiators.waitUntilActiveHandler(new AddPeer(last), grpc.getNegotiationLogger());
    }

    @Override
    public void close() {}

    private static final class AddPeer extends ChannelInboundHandlerAdapter {
        private final ChannelHandler next;

        AddPeer(ChannelHandler next) {
            this.next = next;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
            if (!(event instanceof ProtocolNegotiationEvent negotiation)) {
                super.userEventTriggered(context, event);
                return;
            }
            Attributes attributes = InternalProtocolNegotiationEvent.getAttributes(negotiation).toBuilder()
                    .set(PEER, peer(context))
                    .build();
            context.pipeline().replace(context.name(), null, next);
            // netty lets a replaced handler's context forward to its replacement
            context.fireUserEventTriggered(InternalProtocolNegotiationEvent.withAttributes(negotiation, attributes));
        }

        private static Peer peer(ChannelHandlerContext context) throws IOException {
            PeerCredentials credentials = ((EpollDomainSocketChannel) context.channel()).peerCredentials();
            int[] groups = credentials.gids();
            return new Peer(credentials.uid(), groups.length == 0 ? -1 : groups[0], credentials.pid());
        }
    }

    /**
     * The process at the other end of a unix socket, as the kernel reports it (SO_PEERCRED): it cannot be forged.
     *
     * @param uid user id
     * @param gid the primary group at the time of the connect; -1 if the kernel gave none
     * @param pid process id
     */
    public record Peer(int uid, int gid, int pid) {}
}

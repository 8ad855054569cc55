package io.enipam.daemon.testing;

import io.enipam.v1.ControlGrpc;
import io.enipam.v1.InspectGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A client on a unix socket, as the shell is one. */
public final class SocketClient implements AutoCloseable {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("test-client", true), EpollIoHandler.newFactory());
    private final ManagedChannel channel;

    public SocketClient(Path socket) {
        channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .eventLoopGroup(group)
                .channelType(EpollDomainSocketChannel.class)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .usePlaintext()
                .build();
    }

    public ManagedChannel channel() {
        return channel;
    }

    public InspectGrpc.InspectBlockingStub inspect() {
        return InspectGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    public ControlGrpc.ControlBlockingStub control() {
        return ControlGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}

package io.enipam.kubernetes.device;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** gRPC over unix sockets, with one thread for the wire and a few for the calls. Thread-safe. */
final class UnixSockets implements AutoCloseable {
    private static final int CALLS = 4;
    private static final int LARGEST = 1 << 20;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("kubelet-io", true), EpollIoHandler.newFactory());
    private final ExecutorService calls =
            Executors.newFixedThreadPool(CALLS, new DefaultThreadFactory("kubelet-call", true));

    /** Serves on a path; a socket that was left there is replaced. */
    Server serve(Path path, BindableService service) throws IOException {
        Files.deleteIfExists(path);
        return NettyServerBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                // gRPC sets it on every child, and a unix socket has no such option
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .executor(calls)
                .maxInboundMessageSize(LARGEST)
                .addService(service)
                .build()
                .start();
    }

    /** Connects to a path, once something is asked for. */
    ManagedChannel connect(Path path) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(loop)
                .executor(calls)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .usePlaintext()
                .build();
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        calls.shutdownNow();
    }
}

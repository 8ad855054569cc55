package io.enipam.bench.process;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** Asks a process behind a unix socket whether it serves. */
final class HealthProbe implements AutoCloseable {
    private static final long PAUSE_MILLIS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final Path socket;

    /** @param socket of the process */
    HealthProbe(Path socket) {
        this.socket = socket;
    }

    void await(Process process) throws InterruptedException {
        ManagedChannel channel = channel();
        try {
            while (!serves(channel)) {
                if (!process.isAlive()) {
                    throw new IllegalStateException("the process has ended with " + process.exitValue());
                }
                Thread.sleep(PAUSE_MILLIS);
                // one that could not connect tries again later and later, and would be measured instead of the process
                channel.resetConnectBackoff();
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private boolean serves(ManagedChannel channel) {
        if (!Files.exists(socket)) {
            return false;
        }
        try {
            // the process tells: to be asked every few milliseconds would be a good part of what a start costs it
            Iterator<HealthCheckResponse> states = HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .watch(HealthCheckRequest.getDefaultInstance());
            boolean serving = false;
            while (!serving && states.hasNext()) {
                serving = states.next().getStatus().equals(ServingStatus.SERVING);
            }
            return serving;
        } catch (StatusRuntimeException notYet) {
            return false;
        }
    }

    /** A channel to call it by; the caller ends it. */
    ManagedChannel channel() {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(group)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .usePlaintext()
                .build();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
    }
}

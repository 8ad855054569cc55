package io.enipam.frontends.grpc;

import io.enipam.platform.SocketFile;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A gRPC server on a unix socket, whose calls carry who is at the other end ({@link PeerCredentialNegotiator#PEER}). It authorises nobody: that
 * is for the interceptors of its services. Thread-safe.
 */
public final class UnixServer implements AutoCloseable {
    private static final int LARGEST_REQUEST = 1 << 20;
    private static final long GRACE_SECONDS = 5;

    private final EventLoopGroup boss;
    private final EventLoopGroup worker;
    private final ExecutorService executor;
    private final Server server;
    private final AtomicBoolean closed = new AtomicBoolean();

    private UnixServer(Path path, String name, Consumer<NettyServerBuilder> services) {
        boss = loop(1, name + "-accept");
        worker = loop(2, name + "-io");
        executor = Executors.newFixedThreadPool(4, new DefaultThreadFactory(name + "-call", true));
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new DomainSocketAddress(path.toFile()), PeerCredentialNegotiator.credentials())
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(boss)
                .workerEventLoopGroup(worker)
                // gRPC sets it on every child, and a unix socket has no such option
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .executor(executor)
                .maxInboundMessageSize(LARGEST_REQUEST);
        services.accept(builder);
        server = builder.build();
    }

    private static EventLoopGroup loop(int threads, String name) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
    }

    /**
     * Binds the socket and serves; a socket that nobody serves is replaced.
     *
     * @param name how its threads' names begin
     * @param services adds them, with their interceptors
     * @throws IOException if the socket cannot be made, or a live process serves it
     */
    public static UnixServer open(Path path, String name, Consumer<NettyServerBuilder> services) throws IOException {
        SocketFile.removeStale(path);
        UnixServer opened = new UnixServer(path, name, services);
        try {
            opened.server.start();
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** Takes no new call, gives those that run 5 s, then cuts them off. The socket's file goes with it. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        server.shutdown();
        try {
            if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        executor.shutdownNow();
        boss.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        worker.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}

package io.enipam.frontends.grpc;

import com.google.common.base.Suppliers;
import com.google.common.collect.Maps;
import io.enipam.platform.SocketFile;
import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC server on a unix socket, whose calls carry the credentials of the peer ({@link PeerCredentialNegotiator#PEER}). It authorises no call: that
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

    private UnixServer(Path path, String name, Map<String, Supplier<ServerServiceDefinition>> services, Others others) {
        boss = loop(1, name + "-accept");
        worker = loop(2, name + "-io");
        executor = Executors.newFixedThreadPool(4, new DefaultThreadFactory(name + "-call", true));
        server = NettyServerBuilder.forAddress(
                        new DomainSocketAddress(path.toFile()), PeerCredentialNegotiator.credentials())
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(boss)
                .workerEventLoopGroup(worker)
                // gRPC sets it on every child, and a unix socket has no such option
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .executor(executor)
                .maxInboundMessageSize(LARGEST_REQUEST)
                .fallbackHandlerRegistry(new LateServices(services, others))
                .build();
    }

    private static EventLoopGroup loop(int threads, String name) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
    }

    /**
     * Binds the socket and serves; a socket file without a server is replaced.
     *
     * @param name how its threads' names begin
     * @param services makes each service, with its interceptors, by its name; asked at the first call of the service
     * @throws IOException if the socket cannot be made, or a live process serves it
     */
    public static UnixServer open(Path path, String name, Map<String, Supplier<ServerServiceDefinition>> services)
            throws IOException {
        return open(path, name, services, Others.NONE);
    }

    /**
     * The same with services that come and go.
     *
     * @param others have other names
     */
    public static UnixServer open(
            Path path, String name, Map<String, Supplier<ServerServiceDefinition>> services, Others others)
            throws IOException {
        SocketFile.removeStale(path);
        UnixServer opened = new UnixServer(path, name, services, others);
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

    /** Services that come and go while the server runs. Thread-safe. */
    public interface Others {
        /** None. */
        Others NONE = new Others() {
            @Override
            public Optional<ServerServiceDefinition> service(String name) {
                return Optional.empty();
            }

            @Override
            public Optional<ServerServiceDefinition> unknown(String service, String method) {
                return Optional.empty();
            }

            @Override
            public List<ServerServiceDefinition> services() {
                return List.of();
            }
        };

        /** Asked at each call of a service that the server does not know. */
        Optional<ServerServiceDefinition> service(String name);

        /** One with this method, which refuses, in place of a service that there is not; empty to refuse it as gRPC does. */
        Optional<ServerServiceDefinition> unknown(String service, String method);

        /** Those that there are, for reflection. */
        List<ServerServiceDefinition> services();
    }

    /**
     * Services that are made when the first call comes: what a node's operators call on few of its days are many methods, each with
     * the classes of its messages.
     */
    private static final class LateServices extends HandlerRegistry {
        private final Map<String, Supplier<ServerServiceDefinition>> services;
        private final Others others;

        LateServices(Map<String, Supplier<ServerServiceDefinition>> services, Others others) {
            this.others = others;
            this.services = Map.copyOf(Maps.transformValues(services, service -> Suppliers.memoize(service::get)));
        }

        @Override
        public List<ServerServiceDefinition> getServices() {
            return Stream.concat(services.values().stream().map(Supplier::get), others.services().stream())
                    .toList();
        }

        @Override
        public @Nullable ServerMethodDefinition<?, ?> lookupMethod(String method, @Nullable String authority) {
            String name = MethodDescriptor.extractFullServiceName(method);
            if (name == null) {
                return null;
            }
            Supplier<ServerServiceDefinition> service = services.get(name);
            return Optional.ofNullable(service)
                    .<ServerServiceDefinition>map(Supplier::get)
                    .or(() -> others.service(name))
                    .or(() -> others.unknown(name, method.substring(name.length() + 1)))
                    .<ServerMethodDefinition<?, ?>>map(found -> found.getMethod(method))
                    .orElse(null);
        }
    }
}

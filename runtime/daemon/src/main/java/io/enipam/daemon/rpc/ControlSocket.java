package io.enipam.daemon.rpc;

import io.enipam.daemon.platform.SocketFile;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.InspectGrpc;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A gRPC server on a unix socket, with health and reflection, that authorises and audits every call. Thread-safe. */
public final class ControlSocket implements AutoCloseable {
    private static final int LARGEST_REQUEST = 1 << 20;
    private static final long GRACE_SECONDS = 5;

    private final EventLoopGroup boss;
    private final EventLoopGroup worker;
    private final ExecutorService executor;
    private final HealthStatusManager health;
    private final Server server;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ControlSocket(Path path, AccessRules rules, AuditLog audit, List<BindableService> services) {
        boss = loop(1, "socket-accept");
        worker = loop(2, "socket-io");
        executor = Executors.newFixedThreadPool(4, new DefaultThreadFactory("socket-call", true));
        health = new HealthStatusManager();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new DomainSocketAddress(path.toFile()), PeerNegotiation.credentials())
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(boss)
                .workerEventLoopGroup(worker)
                // gRPC sets it on every child, and a unix socket has no such option
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .executor(executor)
                .maxInboundMessageSize(LARGEST_REQUEST);
        // the last interceptor is the first to see a call: audit sees the refusals, too
        services.forEach(service -> builder.addService(guarded(service, rules, audit)));
        builder.addService(guarded(health.getHealthService(), rules, audit));
        builder.addService(guarded(ProtoReflectionServiceV1.newInstance(), rules, audit));
        server = builder.build();
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
        health.setStatus(ControlGrpc.SERVICE_NAME, ServingStatus.NOT_SERVING);
        health.setStatus(InspectGrpc.SERVICE_NAME, ServingStatus.SERVING);
    }

    private static EventLoopGroup loop(int threads, String name) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
    }

    private static ServerServiceDefinition guarded(BindableService service, AccessRules rules, AuditLog audit) {
        return ServerInterceptors.intercept(service, new AccessControl(rules), new Auditing(audit));
    }

    /**
     * Binds the socket, mode 0660, and serves.
     *
     * @throws IOException if the socket cannot be made, or a live process serves it
     */
    public static ControlSocket open(Path path, int ownUid, AuditLog audit, List<BindableService> services)
            throws IOException {
        return open(path, AccessRules.ofThisHost(ownUid), audit, services);
    }

    static ControlSocket open(Path path, AccessRules rules, AuditLog audit, List<BindableService> services)
            throws IOException {
        SocketFile.makeRoom(path);
        ControlSocket socket = new ControlSocket(path, rules, audit, services);
        try {
            socket.server.start();
            SocketFile.restrict(path, AccessRules.GROUP);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Tells health checks whether ADD is served. */
    public void serving(boolean ready) {
        ServingStatus status = ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(ControlGrpc.SERVICE_NAME, status);
    }

    /** Takes no new call, gives those that run 5 s, then cuts them off. The socket's file goes with it. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        health.enterTerminalState();
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

package io.enipam.frontends.rpc;

import io.enipam.frontends.grpc.UnixServer;
import io.enipam.platform.SocketFile;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.InspectGrpc;
import io.grpc.BindableService;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A gRPC server on a unix socket, with health and reflection, that authorises and audits every call. Thread-safe. */
public final class ControlSocket implements AutoCloseable {
    private final HealthStatusManager health;
    private final UnixServer server;

    private ControlSocket(HealthStatusManager health, UnixServer server) {
        this.health = health;
        this.server = server;
    }

    private static ServerServiceDefinition guarded(BindableService service, AccessRules rules, AuditLog audit) {
        // the last interceptor is the first to see a call: audit sees the refusals, too
        return ServerInterceptors.intercept(service, rules, new AuditInterceptor(audit));
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
        HealthStatusManager health = new HealthStatusManager();
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
        health.setStatus(ControlGrpc.SERVICE_NAME, ServingStatus.NOT_SERVING);
        health.setStatus(InspectGrpc.SERVICE_NAME, ServingStatus.SERVING);
        UnixServer server = UnixServer.open(path, "socket", builder -> {
            services.forEach(service -> builder.addService(guarded(service, rules, audit)));
            builder.addService(guarded(health.getHealthService(), rules, audit));
            builder.addService(guarded(ProtoReflectionServiceV1.newInstance(), rules, audit));
        });
        ControlSocket socket = new ControlSocket(health, server);
        try {
            SocketFile.restrict(path, AccessRules.GROUP);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Reports to health checks whether ADD is served. */
    public void serving(boolean ready) {
        ServingStatus status = ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(ControlGrpc.SERVICE_NAME, status);
    }

    /** Takes no new call, gives those that run 5 s, then cuts them off. The socket's file goes with it. */
    @Override
    public void close() {
        health.enterTerminalState();
        server.close();
    }
}

package io.enipam.frontends.rpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.frontends.grpc.PeerCredentialNegotiator;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.frontends.grpc.UnixServer;
import io.enipam.platform.SocketFile;
import io.enipam.v1.Cloud;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.RunCommandRequest;
import io.enipam.v1.WarmPoolRequest;
import io.grpc.BindableService;
import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** A gRPC server on a unix socket, with health and reflection, that authorises and audits every call. Thread-safe. */
public final class ControlSocket implements AutoCloseable {
    private final HealthStatusManager health;
    private final UnixServer server;

    private ControlSocket(HealthStatusManager health, UnixServer server) {
        this.health = health;
        this.server = server;
    }

    /** What a service makes, with its interceptors: the last is the first to see a call, so that audit sees the refusals, too. */
    private static Supplier<ServerServiceDefinition> guarded(
            Supplier<BindableService> service, AccessRules rules, AuditLog audit) {
        return () -> ServerInterceptors.intercept(service.get(), rules, new AuditInterceptor(audit));
    }

    /**
     * Binds the socket, mode 0660, and serves.
     *
     * @throws IOException if the socket cannot be made, or a live process serves it
     */
    public static ControlSocket open(Path path, int ownUid, AuditLog audit, ServiceContext served) throws IOException {
        return open(path, AccessRules.ofThisHost(ownUid), audit, served);
    }

    static ControlSocket open(Path path, AccessRules rules, AuditLog audit, ServiceContext served) throws IOException {
        HealthStatusManager health = new HealthStatusManager();
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
        health.setStatus(ControlGrpc.SERVICE_NAME, ServingStatus.NOT_SERVING);
        health.setStatus(InspectGrpc.SERVICE_NAME, ServingStatus.SERVING);
        // its first call is to be as fast as any
        ServerServiceDefinition alive =
                guarded(health::getHealthService, rules, audit).get();
        UnixServer server = UnixServer.open(
                path,
                "socket",
                Map.of(
                        InspectGrpc.SERVICE_NAME,
                        guarded(() -> new InspectService(served, audit), rules, audit),
                        ControlGrpc.SERVICE_NAME,
                        guarded(() -> new ControlService(served), rules, audit),
                        HealthGrpc.SERVICE_NAME,
                        () -> alive,
                        ServerReflectionGrpc.SERVICE_NAME,
                        guarded(ProtoReflectionServiceV1::newInstance, rules, audit)),
                new PluginRpcServices(
                        served.plugins().commands(),
                        served.time(),
                        service -> ServerInterceptors.intercept(service, rules, new AuditInterceptor(audit))));
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

    /** Writes a line to the audit log when a call that changes something ends, refused ones included. */
    record AuditInterceptor(AuditLog log) implements ServerInterceptor {
        /** More than any valid name has: what is longer is refused anyway, and shall not fill the log. */
        private static final int LONGEST_NAME = 320;

        private static final TextFormat.Printer SHORT = TextFormat.printer().emittingSingleLine(true);

        /** The user and host that the shell of another machine names. It cannot be checked: the peer is the relay in this pod. */
        private static final Metadata.Key<String> CALLER =
                Metadata.Key.of("enipam-caller", Metadata.ASCII_STRING_MARSHALLER);

        private static final int LONGEST_CALLER = 200;

        /** What neither the name of a user nor that of a host has. */
        private static final Pattern NOT_OF_NAMES = Pattern.compile("[^A-Za-z0-9@._:/+~$\\\\-]");

        private static final Peer UNKNOWN = new Peer(-1, -1, -1);

        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            if (AccessRules.reads(call.getMethodDescriptor())) {
                return next.startCall(call, headers);
            }
            AuditedCall<Q, R> audited = new AuditedCall<>(call, log, caller(headers));
            return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(
                    next.startCall(audited, headers)) {
                @Override
                public void onMessage(Q message) {
                    audited.asked(message);
                    super.onMessage(message);
                }

                @Override
                public void onCancel() {
                    // the caller went away; the request may have been done all the same
                    audited.ended("CANCELLED");
                    super.onCancel();
                }
            };
        }

        private static String caller(Metadata headers) {
            String said = headers.get(CALLER);
            return said == null
                    ? ""
                    : NOT_OF_NAMES
                            .matcher(said.substring(0, Math.min(said.length(), LONGEST_CALLER)))
                            .replaceAll("?");
        }

        private static final class AuditedCall<Q, R> extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {
            private final AuditLog log;
            private final String caller;
            private final AtomicBoolean written = new AtomicBoolean();
            private volatile String pod = "";
            private volatile String container = "";
            private volatile String name = "";
            private volatile boolean dryRun;

            AuditedCall(ServerCall<Q, R> call, AuditLog log, String caller) {
                super(call);
                this.log = log;
                this.caller = caller;
            }

            void asked(Object request) {
                if (request instanceof ImportDbRequest part) {
                    // the first part says what is wanted, the others are the file
                    if (part.hasImport()) {
                        name = field(part.getImport(), "name");
                        dryRun = part.getImport().getDryRun();
                    }
                } else if (request instanceof PluginRpcServices.Request ofPlugin) {
                    name = clipped(ofPlugin.text(SHORT));
                } else if (request instanceof Message message) {
                    pod = field(message, "pod");
                    container = field(message, "container");
                    name = subject(message);
                    dryRun = field(message, "dry_run").equals("true");
                }
            }

            @Override
            public void sendMessage(R message) {
                // a call that names no container learns here which one it was about
                if (message instanceof CniAddReply reply && reply.hasLease()) {
                    container = reply.getLease().getOwner().getContainer();
                } else if (message instanceof CniDelReply reply && reply.hasReleased()) {
                    container = reply.getReleased().getOwner().getContainer();
                }
                super.sendMessage(message);
            }

            @Override
            public void close(Status status, Metadata trailers) {
                ErrorDetail detail = trailers.get(GrpcFailures.DETAIL);
                ended(detail == null ? status.getCode().name() : detail.getCode());
                super.close(status, trailers);
            }

            void ended(String outcome) {
                if (written.compareAndSet(false, true)) {
                    Peer peer = getAttributes().get(PeerCredentialNegotiator.PEER);
                    boolean ours = ControlGrpc.SERVICE_NAME.equals(
                            getMethodDescriptor().getServiceName());
                    String command = String.valueOf(
                            ours
                                    ? getMethodDescriptor().getBareMethodName()
                                    : getMethodDescriptor().getFullMethodName());
                    log.record(peer == null ? UNKNOWN : peer, caller, command, pod, container, name, dryRun, outcome);
                }
            }

            /** The name or the path in the request; of what says more than a name, all of it: orders, commands of plugins, and the emulated cloud. */
            private static String subject(Message message) {
                if (message.getDescriptorForType().getFile().equals(Cloud.getDescriptor())
                        || message instanceof WarmPoolRequest
                        || message instanceof DrainPoolRequest
                        || message instanceof CniGcRequest
                        || message instanceof RunCommandRequest) {
                    return clipped(SHORT.printToString(message));
                }
                String path = field(message, "path");
                return path.isEmpty() ? field(message, "name") : path;
            }

            private static String field(Message message, String name) {
                FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
                return field == null ? "" : clipped(String.valueOf(message.getField(field)));
            }

            private static String clipped(String text) {
                return text.substring(0, Math.min(text.length(), LONGEST_NAME));
            }
        }
    }
}

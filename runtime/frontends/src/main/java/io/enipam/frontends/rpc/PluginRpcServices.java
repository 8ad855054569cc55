package io.enipam.frontends.rpc;

import com.google.common.io.ByteStreams;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.frontends.grpc.UnixServer.Others;
import io.enipam.pluginhost.operator.OperatorParts.OfferedService;
import io.enipam.pluginhost.operator.PluginCommands;
import io.enipam.pluginhost.operator.PluginRpc;
import io.enipam.sdk.CommandSpec.Impact;
import io.enipam.sdk.RpcCall;
import io.enipam.sdk.RpcMethod;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services of gRPC that parts of plugins bring, as the server calls them: messages are bytes, which the plugin reads and writes. A method
 * that changes nothing is marked as safe, by which callers are allowed to call it. Thread-safe; {@code this} guards the definitions.
 */
final class PluginRpcServices implements Others {
    private static final Logger LOG = LoggerFactory.getLogger(PluginRpcServices.class);
    private static final String OURS = "enipam.";

    private final PluginRpc rpc;
    private final TimeSource time;
    private final UnaryOperator<ServerServiceDefinition> guard;

    @GuardedBy("this")
    private final Map<OfferedService, ServerServiceDefinition> definitions = new IdentityHashMap<>();

    /** @param guard adds the interceptors that each service of the socket has */
    PluginRpcServices(PluginCommands commands, TimeSource time, UnaryOperator<ServerServiceDefinition> guard) {
        this.rpc = new PluginRpc(commands);
        this.time = time;
        this.guard = guard;
    }

    /** A request, as bytes, and what describes it. */
    record Request(byte[] bytes, Optional<Descriptor> type) {
        /** Its fields for the audit log; of what cannot be read, how long it is. */
        String text(TextFormat.Printer printer) {
            try {
                return type.isEmpty()
                        ? bytes.length + " bytes"
                        : printer.printToString(DynamicMessage.parseFrom(type.get(), bytes));
            } catch (InvalidProtocolBufferException e) {
                return bytes.length + " bytes that are no message";
            }
        }
    }

    @Override
    public Optional<ServerServiceDefinition> service(String name) {
        return rpc.service(name).map(this::definition);
    }

    /** One that may still come is refused with a status that has clients try again. */
    @Override
    public Optional<ServerServiceDefinition> unknown(String service, String method) {
        if (!service.startsWith(OURS) || !rpc.unsettled()) {
            return Optional.empty();
        }
        StatusRuntimeException later = GrpcFailures.of(new IpamException(
                ErrorCode.TRY_AGAIN,
                service + " is not served yet: extensions of plugins are being opened",
                "try again in a moment"));
        return Optional.of(guard.apply(ServerServiceDefinition.builder(service)
                .addMethod(
                        descriptor(service + "/" + method, MethodType.UNARY, true, Optional.empty()),
                        ServerCalls.asyncUnaryCall((request, observer) -> observer.onError(later)))
                .build()));
    }

    @Override
    public List<ServerServiceDefinition> services() {
        return rpc.services().stream().map(this::definition).toList();
    }

    private synchronized ServerServiceDefinition definition(OfferedService offered) {
        ServerServiceDefinition known = definitions.get(offered);
        if (known == null) {
            List<OfferedService> all = rpc.services();
            definitions.keySet().removeIf(former -> all.stream().noneMatch(each -> each == former));
            known = guard.apply(defined(offered));
            definitions.put(offered, known);
        }
        return known;
    }

    private ServerServiceDefinition defined(OfferedService offered) {
        String name = offered.service().name();
        Optional<ServiceDescriptor> described = described(offered);
        io.grpc.ServiceDescriptor.Builder service = io.grpc.ServiceDescriptor.newBuilder(name);
        described.ifPresent(known -> service.setSchemaDescriptor((ProtoFileDescriptorSupplier) known::getFile));
        Map<RpcMethod, io.grpc.MethodDescriptor<Request, byte[]>> methods = new HashMap<>();
        for (RpcMethod method : offered.service().methods()) {
            Optional<Descriptor> type = described
                    .map(known -> known.findMethodByName(method.name()))
                    .map(MethodDescriptor::getInputType);
            io.grpc.MethodDescriptor<Request, byte[]> descriptor = descriptor(
                    name + "/" + method.name(),
                    method instanceof RpcMethod.Unary ? MethodType.UNARY : MethodType.SERVER_STREAMING,
                    method.impact() == Impact.READ,
                    type);
            methods.put(method, descriptor);
            service.addMethod(descriptor);
        }
        ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(service.build());
        methods.forEach((method, descriptor) -> {
            if (method instanceof RpcMethod.Unary unary) {
                definition.addMethod(
                        descriptor,
                        ServerCalls.asyncUnaryCall((request, observer) -> answer(offered, unary, request, observer)));
            } else if (method instanceof RpcMethod.Streaming streaming) {
                definition.addMethod(
                        descriptor,
                        ServerCalls.asyncServerStreamingCall(
                                (request, observer) -> stream(offered, streaming, request, observer)));
            }
        });
        return definition.build();
    }

    private void answer(
            OfferedService service, RpcMethod.Unary method, Request request, StreamObserver<byte[]> observer) {
        ((ServerCallStreamObserver<byte[]>) observer).setOnCancelHandler(() -> {});
        rpc.unary(service, method, call(request)).whenComplete((reply, failure) -> {
            if (failure != null) {
                observer.onError(failure(failure));
            } else {
                observer.onNext(reply);
                observer.onCompleted();
            }
        });
    }

    private void stream(
            OfferedService service, RpcMethod.Streaming method, Request request, StreamObserver<byte[]> observer) {
        RpcCall call = call(request);
        new FeedStream<byte[], byte[]>(
                        (ServerCallStreamObserver<byte[]>) observer, messages -> messages, PluginRpcServices::failure)
                .begin(caller -> {
                    try {
                        return CompletableFuture.completedFuture(rpc.stream(service, method, call, caller));
                    } catch (IpamException e) {
                        return CompletableFuture.failedFuture(e);
                    }
                });
    }

    private RpcCall call(Request request) {
        Deadline until = Context.current().getDeadline();
        Instant deadline = until == null
                ? Instant.MAX
                : time.now().plusNanos(Math.max(0, until.timeRemaining(TimeUnit.NANOSECONDS)));
        record Called(byte[] request, Instant deadline) implements RpcCall {}
        return new Called(request.bytes(), deadline);
    }

    private static StatusRuntimeException failure(Throwable failure) {
        if (Stages.cause(failure) instanceof PluginRpc.Status said) {
            return Status.Code.valueOf(said.code().name())
                    .toStatus()
                    .withDescription(said.getMessage())
                    .asRuntimeException();
        }
        IpamException told = PluginCommands.told(failure);
        StatusRuntimeException translated = GrpcFailures.of(told);
        // a precondition is something that the plugin itself says
        return told.code() == ErrorCode.PLUGIN_FAILED
                ? Status.UNKNOWN
                        .withDescription(told.getMessage())
                        .asRuntimeException(GrpcFailures.trailersOf(translated))
                : translated;
    }

    private static io.grpc.MethodDescriptor<Request, byte[]> descriptor(
            String name, MethodType type, boolean safe, Optional<Descriptor> request) {
        return io.grpc.MethodDescriptor.<Request, byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(name)
                .setSafe(safe)
                .setRequestMarshaller(new Marshaller<>() {
                    @Override
                    public InputStream stream(Request value) {
                        return new ByteArrayInputStream(value.bytes());
                    }

                    @Override
                    public Request parse(InputStream stream) {
                        return new Request(read(stream), request);
                    }
                })
                .setResponseMarshaller(new Marshaller<>() {
                    @Override
                    public InputStream stream(byte[] value) {
                        return new ByteArrayInputStream(value);
                    }

                    @Override
                    public byte[] parse(InputStream stream) {
                        return read(stream);
                    }
                })
                .build();
    }

    private static byte[] read(InputStream stream) {
        try {
            return ByteStreams.toByteArray(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the plugin says of its service; empty if that is wrong, which is logged, and costs reflection alone. */
    private static Optional<ServiceDescriptor> described(OfferedService offered) {
        String name = offered.service().name();
        try {
            Map<String, FileDescriptor> files = new HashMap<>();
            for (FileDescriptorProto file :
                    FileDescriptorSet.parseFrom(offered.service().descriptors()).getFileList()) {
                FileDescriptor[] imports = file.getDependencyList().stream()
                        .map(files::get)
                        .filter(known -> known != null)
                        .toArray(FileDescriptor[]::new);
                files.put(file.getName(), FileDescriptor.buildFrom(file, imports));
            }
            Optional<ServiceDescriptor> found = files.values().stream()
                    .flatMap(file -> file.getServices().stream())
                    .filter(service -> service.getFullName().equals(name))
                    .findFirst();
            if (found.isEmpty()) {
                LOG.warn(
                        "the files that plugin {} describes {} with do not contain it",
                        offered.part().plugin(),
                        name);
            }
            return found;
        } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
            LOG.warn(
                    "what plugin {} describes {} with cannot be read: {}",
                    offered.part().plugin(),
                    name,
                    e.toString());
            return Optional.empty();
        }
    }
}

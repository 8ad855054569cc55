package io.enipam.frontends.rpc;

import com.google.common.collect.Lists;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.enipam.frontends.grpc.GrpcFailures;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Binds the methods of a generated service to handlers, one row for each method. A row sends the reply or the translated failure, exactly
 * once. A handler returns the reply, or the value that {@link Proto#reply} makes one of; a field {@code took} that it does not set is the
 * time of the call. {@link #build} fails if a method of the service has no row. Not thread-safe; the service that it builds is.
 */
public final class ServiceTable {
    /** Items in one reply of a list. */
    static final int CHUNK = 100;

    private final ServiceDescriptor descriptor;
    private final Set<String> served = new HashSet<>();
    private final ServerServiceDefinition.Builder service;
    private final LongSupplier nanoTime;
    private final BiFunction<String, Throwable, StatusRuntimeException> failures;

    ServiceTable(ServiceDescriptor service, LongSupplier nanoTime) {
        this(service, nanoTime, (method, failure) -> GrpcFailures.of(failure));
    }

    /**
     * @param nanoTime the clock of {@code took}
     * @param failures translates the failure of a method
     */
    public ServiceTable(
            ServiceDescriptor service,
            LongSupplier nanoTime,
            BiFunction<String, Throwable, StatusRuntimeException> failures) {
        this.descriptor = service;
        this.service = ServerServiceDefinition.builder(service);
        this.nanoTime = nanoTime;
        this.failures = failures;
    }

    /** A method that is answered at once. */
    <Q, R extends Message> ServiceTable reply(MethodDescriptor<Q, R> method, Function<Q, ?> handler) {
        return later(method, request -> CompletableFuture.completedStage(handler.apply(request)));
    }

    /** A method that is answered when a stage completes. */
    public <Q, R extends Message> ServiceTable later(
            MethodDescriptor<Q, R> method, Function<Q, ? extends CompletionStage<?>> handler) {
        return stream(method, (request, observer) -> {
            long begun = nanoTime.getAsLong();
            complete(method, observer, handler.apply(request).thenApply(value -> reply(method, value, begun)));
        });
    }

    /** A method that streams a list, {@value #CHUNK} items in a reply. */
    <Q, R extends Message> ServiceTable list(MethodDescriptor<Q, R> method, Function<Q, ? extends List<?>> items) {
        return stream(method, (request, observer) -> {
            Iterator<? extends List<?>> chunks =
                    Lists.partition(items.apply(request), CHUNK).iterator();
            pump(observer, () -> chunks.hasNext() ? reply(method, chunks.next(), 0) : null);
        });
    }

    /** A method whose handler sends the replies itself. What the handler throws before the first of them is the call's failure. */
    public <Q, R> ServiceTable stream(
            MethodDescriptor<Q, R> method, BiConsumer<Q, ServerCallStreamObserver<R>> handler) {
        BiConsumer<Q, StreamObserver<R>> call = (request, observer) -> {
            try {
                handler.accept(request, tolerateCancellation(observer));
            } catch (RuntimeException e) {
                observer.onError(failure(method, e));
            }
        };
        add(
                method,
                method.getType() == MethodType.UNARY
                        ? ServerCalls.asyncUnaryCall(call::accept)
                        : ServerCalls.asyncServerStreamingCall(call::accept));
        return this;
    }

    /** A method that receives a stream of requests; the handler completes the reply. */
    <Q, R extends Message> ServiceTable receive(
            MethodDescriptor<Q, R> method, Function<CompletableFuture<Object>, StreamObserver<Q>> handler) {
        add(method, ServerCalls.asyncClientStreamingCall(observer -> {
            CompletableFuture<Object> reply = new CompletableFuture<>();
            complete(method, tolerateCancellation(observer), reply.thenApply(value -> reply(method, value, 0)));
            return handler.apply(reply);
        }));
        return this;
    }

    private <Q, R> void add(MethodDescriptor<Q, R> method, ServerCallHandler<Q, R> handler) {
        served.add(method.getFullMethodName());
        service.addMethod(method, handler);
    }

    /** The methods without a row are refused: this daemon does not have what they are about. */
    ServiceTable refuseOthers(Supplier<? extends Throwable> refusal) {
        descriptor.getMethods().stream()
                .filter(method -> !served.contains(method.getFullMethodName()))
                .forEach(method -> refuse(method, refusal));
        return this;
    }

    private <Q, R> void refuse(MethodDescriptor<Q, R> method, Supplier<? extends Throwable> refusal) {
        add(method, (call, headers) -> {
            StatusRuntimeException failure = failure(method, refusal.get());
            call.close(failure.getStatus(), GrpcFailures.trailersOf(failure));
            return new ServerCall.Listener<>() {};
        });
    }

    public ServerServiceDefinition build() {
        return service.build();
    }

    public StatusRuntimeException failure(MethodDescriptor<?, ?> method, Throwable failure) {
        return failures.apply(String.valueOf(method.getBareMethodName()), failure);
    }

    private <R> void complete(MethodDescriptor<?, R> method, StreamObserver<R> observer, CompletionStage<R> stage) {
        stage.whenComplete((reply, failure) -> {
            if (failure != null) {
                observer.onError(failure(method, failure));
            } else {
                observer.onNext(reply);
                observer.onCompleted();
            }
        });
    }

    @SuppressWarnings("unchecked") // a builder makes messages of its prototype's class
    private <R extends Message> R reply(MethodDescriptor<?, R> method, Object value, long begun) {
        R prototype = ((PrototypeMarshaller<R>) method.getResponseMarshaller()).getMessagePrototype();
        FieldDescriptor took = prototype.getDescriptorForType().findFieldByName("took");
        boolean whole = prototype.getClass().isInstance(value);
        if (whole && (took == null || ((Message) value).hasField(took))) {
            return (R) value;
        }
        Message.Builder reply =
                whole ? ((Message) value).toBuilder() : Proto.reply(prototype.newBuilderForType(), value);
        if (took != null && !reply.hasField(took)) {
            reply.setField(took, Proto.duration(Duration.ofNanos(nanoTime.getAsLong() - begun)));
        }
        return (R) reply.build();
    }

    /** Without a handler of cancellation, gRPC throws in the thread that answers a caller that has hung up. */
    private static <R> ServerCallStreamObserver<R> tolerateCancellation(StreamObserver<R> observer) {
        ServerCallStreamObserver<R> server = (ServerCallStreamObserver<R>) observer;
        server.setOnCancelHandler(() -> {});
        return server;
    }

    /**
     * Sends replies never faster than the caller reads, so that of a long list little more than one reply is in memory. Must be called
     * before the service method returns: gRPC accepts handlers only until then. gRPC serializes the calls of {@code next}.
     *
     * @param next the next reply; null when there are no more
     */
    static <R> void pump(ServerCallStreamObserver<R> observer, Supplier<@Nullable R> next) {
        boolean[] done = {false};
        observer.setOnReadyHandler(() -> {
            while (!done[0] && observer.isReady() && !observer.isCancelled()) {
                R reply = next.get();
                if (reply == null) {
                    done[0] = true;
                    observer.onCompleted();
                } else {
                    observer.onNext(reply);
                }
            }
        });
    }
}

package io.enipam.frontends.rpc;

import io.enipam.frontends.grpc.GrpcFailures;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Binds the methods of a generated service to handlers, one row for each method. A row sends the reply or the translated failure, exactly
 * once. {@link #build} fails if a method of the service has no row. Not thread-safe; the service that it builds is.
 */
final class ServiceTable {
    /** Items in one reply of a list. */
    static final int CHUNK = 100;

    private final ServerServiceDefinition.Builder service;

    ServiceTable(ServiceDescriptor service) {
        this.service = ServerServiceDefinition.builder(service);
    }

    /** A method that is answered at once. */
    <Q, R> ServiceTable reply(MethodDescriptor<Q, R> method, Function<Q, R> handler) {
        return stream(method, (request, observer) -> {
            R reply = handler.apply(request);
            observer.onNext(reply);
            observer.onCompleted();
        });
    }

    /** A method that is answered when a stage completes. */
    <Q, R> ServiceTable later(MethodDescriptor<Q, R> method, Function<Q, ? extends CompletionStage<R>> handler) {
        return stream(method, (request, observer) -> complete(observer, () -> handler.apply(request)));
    }

    /** A method that streams a list, {@value #CHUNK} items in a reply. */
    <Q, T, R> ServiceTable list(MethodDescriptor<Q, R> method, Function<Q, List<T>> items, Function<List<T>, R> reply) {
        return list(method, items, reply, request -> CHUNK);
    }

    /** @param chunk items in one reply; few where one is long, as gRPC takes 4 MB in a message */
    <Q, T, R> ServiceTable list(
            MethodDescriptor<Q, R> method,
            Function<Q, List<T>> items,
            Function<List<T>, R> reply,
            ToIntFunction<Q> chunk) {
        return stream(method, (request, observer) -> {
            List<T> all = items.apply(request);
            int most = chunk.applyAsInt(request);
            int[] sent = {0};
            pump(observer, () -> {
                if (sent[0] == all.size()) {
                    return null;
                }
                int begin = sent[0];
                sent[0] = Math.min(all.size(), begin + most);
                return reply.apply(all.subList(begin, sent[0]));
            });
        });
    }

    /** A method whose handler sends the replies itself. What the handler throws before the first of them is the call's failure. */
    <Q, R> ServiceTable stream(MethodDescriptor<Q, R> method, BiConsumer<Q, ServerCallStreamObserver<R>> handler) {
        if (method.getType() == MethodType.UNARY) {
            service.addMethod(
                    method, ServerCalls.asyncUnaryCall((request, observer) -> begin(request, observer, handler)));
        } else {
            service.addMethod(
                    method,
                    ServerCalls.asyncServerStreamingCall((request, observer) -> begin(request, observer, handler)));
        }
        return this;
    }

    /** A method that receives a stream of requests. */
    <Q, R> ServiceTable receive(
            MethodDescriptor<Q, R> method, Function<ServerCallStreamObserver<R>, StreamObserver<Q>> handler) {
        service.addMethod(
                method,
                ServerCalls.asyncClientStreamingCall(observer -> handler.apply(tolerateCancellation(observer))));
        return this;
    }

    ServerServiceDefinition build() {
        return service.build();
    }

    private static <Q, R> void begin(
            Q request, StreamObserver<R> observer, BiConsumer<Q, ServerCallStreamObserver<R>> handler) {
        try {
            handler.accept(request, tolerateCancellation(observer));
        } catch (RuntimeException e) {
            observer.onError(GrpcFailures.of(e));
        }
    }

    /** Without a handler of cancellation, gRPC throws in the thread that answers a caller that has hung up. */
    private static <R> ServerCallStreamObserver<R> tolerateCancellation(StreamObserver<R> observer) {
        ServerCallStreamObserver<R> server = (ServerCallStreamObserver<R>) observer;
        server.setOnCancelHandler(() -> {});
        return server;
    }

    /** Answers when the stage is done. The call may throw instead of returning a stage. */
    static <R> void complete(StreamObserver<R> observer, Supplier<? extends CompletionStage<R>> call) {
        CompletionStage<R> stage;
        try {
            stage = call.get();
        } catch (RuntimeException e) {
            observer.onError(GrpcFailures.of(e));
            return;
        }
        stage.whenComplete((message, failure) -> {
            if (failure != null) {
                observer.onError(GrpcFailures.of(failure));
            } else {
                observer.onNext(message);
                observer.onCompleted();
            }
        });
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

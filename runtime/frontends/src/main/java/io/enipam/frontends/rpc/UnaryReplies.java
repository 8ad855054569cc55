package io.enipam.frontends.rpc;

import io.enipam.sdk.PodRef;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** The one way a unary call is answered: the reply, or the translated failure, exactly once. */
final class UnaryReplies {
    private UnaryReplies() {}

    static <R> void sync(StreamObserver<R> observer, Supplier<R> reply) {
        tolerateCancellation(observer);
        R message;
        try {
            message = reply.get();
        } catch (RuntimeException e) {
            observer.onError(GrpcFailures.of(e));
            return;
        }
        observer.onNext(message);
        observer.onCompleted();
    }

    /** Answers when the stage is done. The call may throw instead of returning a stage. */
    static <T, R> void async(
            StreamObserver<R> observer, Supplier<? extends CompletionStage<T>> call, Function<T, R> reply) {
        tolerateCancellation(observer);
        whenDone(observer, call, reply);
    }

    /** The same for a call whose cancellation is tolerated already: gRPC takes handlers at its beginning alone. */
    static <T, R> void whenDone(
            StreamObserver<R> observer, Supplier<? extends CompletionStage<T>> call, Function<T, R> reply) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException e) {
            observer.onError(GrpcFailures.of(e));
            return;
        }
        stage.thenApply(reply).whenComplete((message, failure) -> {
            if (failure != null) {
                observer.onError(GrpcFailures.of(failure));
            } else {
                observer.onNext(message);
                observer.onCompleted();
            }
        });
    }

    /** A caller that hung up is no bug: without a handler, gRPC throws at whoever answers it. */
    static void tolerateCancellation(StreamObserver<?> observer) {
        ((ServerCallStreamObserver<?>) observer).setOnCancelHandler(() -> {});
    }

    /** Reads a pod's name off the wire. */
    static PodRef pod(String text) {
        return checked(() -> PodRef.parse(text));
    }

    /** Builds a value from what came off the wire: what its constructor refuses, the caller got wrong. */
    static <T> T checked(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw GrpcFailures.invalid(e);
        }
    }
}

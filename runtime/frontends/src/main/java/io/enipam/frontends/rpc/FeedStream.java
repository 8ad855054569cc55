package io.enipam.frontends.rpc;

import io.enipam.pluginhost.operator.FeedReader;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The caller of a call that streams a feed of a plugin's: it takes some whenever gRPC has sent what was taken, and ends the feed when it
 * leaves.
 *
 * @param replies makes replies of some of the feed
 * @param failures translates what ends it
 */
record FeedStream<T, R>(
        ServerCallStreamObserver<R> observer,
        Function<List<T>, List<R>> replies,
        Function<Throwable, StatusRuntimeException> failures)
        implements FeedReader.Reader<T> {
    /** Must be called before the service method returns: gRPC accepts handlers only until then. */
    void begin(Function<FeedReader.Reader<T>, CompletableFuture<FeedReader<T>>> open) {
        CompletableFuture<FeedReader<T>> reader = new CompletableFuture<>();
        observer.setOnReadyHandler(() -> reader.thenAccept(FeedReader::pump));
        observer.setOnCancelHandler(() -> reader.thenAccept(FeedReader::close));
        open.apply(this).whenComplete((opened, failure) -> {
            if (failure == null) {
                reader.complete(opened);
            } else {
                failed(failure);
            }
        });
    }

    @Override
    public boolean ready() {
        return observer.isReady() && !observer.isCancelled();
    }

    @Override
    public void next(List<T> some) {
        replies.apply(some).forEach(observer::onNext);
    }

    @Override
    public void ended() {
        observer.onCompleted();
    }

    @Override
    public void failed(Throwable why) {
        observer.onError(failures.apply(why));
    }
}

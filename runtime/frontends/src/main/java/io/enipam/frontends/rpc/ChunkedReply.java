package io.enipam.frontends.rpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends a list as a stream of replies of {@value #CHUNK} items or fewer, never faster than the reader reads: of a long list, little
 * more than one chunk is in memory as a message. Used by one call; gRPC serialises the handler.
 */
final class ChunkedReply<T, R> {
    /** Items in one reply. */
    static final int CHUNK = 100;

    private final ServerCallStreamObserver<R> observer;
    private final List<T> items;
    private final Function<List<T>, R> reply;
    private final int chunk;
    private int sent;
    private boolean done;

    private ChunkedReply(ServerCallStreamObserver<R> observer, List<T> items, Function<List<T>, R> reply, int chunk) {
        this.observer = observer;
        this.items = items;
        this.reply = reply;
        this.chunk = chunk;
    }

    /** Must be called before the service method returns: gRPC accepts handlers only until then. */
    static <T, R> void send(StreamObserver<R> observer, List<T> items, Function<List<T>, R> reply) {
        send(observer, () -> items, reply, CHUNK);
    }

    /**
     * The same for items that the request may make impossible: what that throws is the call's failure.
     *
     * @param chunk items in one reply; few where one is long, as gRPC takes 4 MB in a message
     */
    static <T, R> void send(
            StreamObserver<R> observer, Supplier<List<T>> asked, Function<List<T>, R> reply, int chunk) {
        ServerCallStreamObserver<R> server = (ServerCallStreamObserver<R>) observer;
        List<T> items;
        try {
            items = asked.get();
        } catch (RuntimeException e) {
            UnaryReplies.tolerateCancellation(server);
            server.onError(GrpcFailures.of(e));
            return;
        }
        ChunkedReply<T, R> stream = new ChunkedReply<>(server, items, reply, chunk);
        UnaryReplies.tolerateCancellation(server);
        server.setOnReadyHandler(stream::pump);
    }

    private void pump() {
        while (!done && observer.isReady() && !observer.isCancelled()) {
            if (sent == items.size()) {
                done = true;
                observer.onCompleted();
                return;
            }
            int end = Math.min(items.size(), sent + chunk);
            observer.onNext(reply.apply(items.subList(sent, end)));
            sent = end;
        }
    }
}

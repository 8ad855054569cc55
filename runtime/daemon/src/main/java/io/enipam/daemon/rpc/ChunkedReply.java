package io.enipam.daemon.rpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;

/**
 * Sends a list as a stream of replies of {@value #CHUNK} items, never faster than the reader reads: of a long list, little
 * more than one chunk is in memory as a message. Used by one call; gRPC serialises the handler.
 */
final class ChunkedReply<T, R> {
    /** Items in one reply. */
    static final int CHUNK = 100;

    private final ServerCallStreamObserver<R> observer;
    private final List<T> items;
    private final Function<List<T>, R> reply;
    private int sent;
    private boolean done;

    private ChunkedReply(ServerCallStreamObserver<R> observer, List<T> items, Function<List<T>, R> reply) {
        this.observer = observer;
        this.items = items;
        this.reply = reply;
    }

    /** Must be called before the service method returns: gRPC accepts handlers only until then. */
    static <T, R> void send(StreamObserver<R> observer, List<T> items, Function<List<T>, R> reply) {
        ServerCallStreamObserver<R> server = (ServerCallStreamObserver<R>) observer;
        ChunkedReply<T, R> stream = new ChunkedReply<>(server, items, reply);
        Answers.tolerateCancellation(server);
        server.setOnReadyHandler(stream::pump);
    }

    private void pump() {
        while (!done && observer.isReady() && !observer.isCancelled()) {
            if (sent == items.size()) {
                done = true;
                observer.onCompleted();
                return;
            }
            int end = Math.min(items.size(), sent + CHUNK);
            observer.onNext(reply.apply(items.subList(sent, end)));
            sent = end;
        }
    }
}

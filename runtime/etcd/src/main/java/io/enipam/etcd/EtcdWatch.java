package io.enipam.etcd;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.Source.Sink;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Tells a sink the keys of one table that change after a revision, by etcd's watch. Thread-safe; the sink is called on the threads of
 * the plugin alone.
 *
 * <p>One stream follows the other: where one breaks, the next one begins, at another member, with the revision behind the last one that
 * was told, so that nothing is left out and what waits is etcd's own history. A stream asks for the next answer when the last one is
 * told: memory is bounded, and a sink that is slow holds up its own stream. Where etcd has compacted the revision that is to come, or
 * refuses the watch, the sink is told that it is lost.
 */
final class EtcdWatch implements AutoCloseable {
    private final EtcdClient client;
    private final ByteString rows;
    private final Sink sink;
    private final Executor threads;
    private final Scheduler scheduler;

    @GuardedBy("this")
    private @Nullable Stream current;

    @GuardedBy("this")
    private long next;

    @GuardedBy("this")
    private int tries;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param rows what the keys of the table's rows begin with
     * @param next the first revision to be told
     */
    EtcdWatch(EtcdClient client, ByteString rows, long next, Sink sink, Executor threads, Scheduler scheduler) {
        this.client = client;
        this.rows = rows;
        this.next = next;
        this.sink = sink;
        this.threads = threads;
        this.scheduler = scheduler;
    }

    EtcdWatch begun() {
        connect();
        return this;
    }

    private void connect() {
        Stream stream = new Stream();
        WatchRequest request;
        synchronized (this) {
            if (closed) {
                return;
            }
            current = stream;
            tries++;
            request = WatchRequest.newBuilder()
                    .setCreateRequest(WatchCreateRequest.newBuilder()
                            .setKey(rows)
                            .setRangeEnd(EtcdKeys.end(rows))
                            .setStartRevision(next)
                            .setPrevKv(true)
                            // moves on while the table is silent, so that a stream that breaks then finds its history
                            .setProgressNotify(true))
                    .build();
        }
        client.stream(stream.at, WatchGrpc.getWatchMethod(), request, stream);
    }

    private synchronized boolean is(Stream stream) {
        return !closed && stream == current;
    }

    /** Tells what one answer has; false if it was the last one. */
    private boolean tell(Stream stream, WatchResponse answer) {
        if (!is(stream)) {
            return false;
        }
        if (answer.getCanceled()) {
            lost(
                    answer.getCompactRevision() > 0
                            ? "etcd has compacted its history up to revision " + answer.getCompactRevision()
                            : "etcd has ended the watch: " + answer.getCancelReason());
            return false;
        }
        for (Event event : answer.getEventsList()) {
            boolean same = event.getType() == Event.EventType.PUT
                    && event.hasPrevKv()
                    && event.getPrevKv().getValue().equals(event.getKv().getValue());
            if (!same) {
                sink.changed(EtcdKeys.text(event.getKv().getKey().substring(rows.size())));
            }
        }
        if (!answer.getCreated()) {
            // of an answer with events, what is behind the last one is still to come; without any, all up to its
            // revision was reported
            int events = answer.getEventsCount();
            long last = events > 0
                    ? answer.getEvents(events - 1).getKv().getModRevision()
                    : answer.getHeader().getRevision();
            synchronized (this) {
                tries = 0;
                next = Math.max(next, last + 1);
            }
        }
        return is(stream);
    }

    private void failed(Stream stream, Throwable error) {
        int number;
        synchronized (this) {
            if (!is(stream)) {
                return;
            }
            current = null;
            number = tries;
        }
        Optional<Duration> pause = client.pauseAfter(stream.at, error, number);
        if (pause.isPresent()) {
            scheduler.after(pause.get(), this::connect);
        } else {
            lost(client.exception(EtcdFailure.of(error), error, false).getMessage());
        }
    }

    private void lost(String why) {
        close();
        sink.lost(why);
    }

    /** Nothing is reported any more, but for what is being reported. */
    @Override
    public void close() {
        Stream last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.cancel();
        }
    }

    /** One stream; what comes of it when another one is the current one is ignored. */
    private final class Stream implements ClientResponseObserver<WatchRequest, WatchResponse> {
        private final int at = client.current();
        private volatile @Nullable ClientCallStreamObserver<WatchRequest> requests;

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> observer) {
            observer.disableAutoRequestWithInitial(1);
            requests = observer;
        }

        /** On a thread of gRPC's, which must not block: the next answer comes when this one is reported. */
        @Override
        public void onNext(WatchResponse answer) {
            inTurn(() -> {
                ClientCallStreamObserver<WatchRequest> observer = requests;
                if (tell(this, answer) && observer != null) {
                    observer.request(1);
                }
            });
        }

        @Override
        public void onError(Throwable error) {
            inTurn(() -> failed(this, error));
        }

        @Override
        public void onCompleted() {
            onError(Status.UNAVAILABLE.withDescription("the stream has ended").asRuntimeException());
        }

        private void inTurn(Runnable step) {
            try {
                threads.execute(() -> {
                    try {
                        step.run();
                    } catch (RuntimeException e) {
                        lost("what it was told failed: " + e);
                    }
                });
            } catch (RejectedExecutionException e) {
                close(); // the plugin is closed
            }
        }

        void cancel() {
            ClientCallStreamObserver<WatchRequest> observer = requests;
            if (observer != null) {
                observer.cancel("closed", null);
            }
        }
    }
}

package io.enipam.frontends.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.events.EventFollower;
import io.enipam.events.EventRing;
import io.enipam.engine.model.Event;
import io.enipam.v1.WatchEventsReply;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;

/**
 * Follows the ring for one caller. It is pumped from two sides, by the ring when events come and by gRPC when the caller
 * has read; the lock makes one of them at a time send. Nothing is taken from the follower's bounded queue while the caller does not read.
 */
final class EventStream {
    private final ServerCallStreamObserver<WatchEventsReply> observer;
    private final EventFollower follower;
    private final String run;

    @GuardedBy("this")
    private boolean done;

    private EventStream(ServerCallStreamObserver<WatchEventsReply> observer, EventRing ring, long afterSequence) {
        this.observer = observer;
        this.run = ring.run();
        // the ring may pump from its own thread before the field is set; the lock makes it wait
        synchronized (this) {
            this.follower = ring.follow(afterSequence, this::pump);
        }
    }

    static void follow(ServerCallStreamObserver<WatchEventsReply> observer, EventRing ring, long afterSequence) {
        EventStream stream = new EventStream(observer, ring, afterSequence);
        observer.setOnCancelHandler(stream.follower::close);
        observer.setOnReadyHandler(stream::pump);
    }

    private synchronized void pump() {
        while (!done && observer.isReady() && !observer.isCancelled()) {
            List<Event> events = follower.take(ChunkedReply.CHUNK);
            if (!events.isEmpty()) {
                observer.onNext(EventMapper.reply(events, run));
            } else {
                if (follower.finished()) {
                    done = true;
                    observer.onCompleted();
                }
                return;
            }
        }
    }
}

package io.enipam.frontends.rpc;

import com.google.common.collect.Lists;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.diagnostics.trace.TraceQuery;
import io.enipam.engine.model.Event;
import io.enipam.events.EventRing;
import io.enipam.events.EventRing.EventFollower;
import io.enipam.store.history.HistorySearch;
import io.enipam.store.history.RecordLog;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * {@code WatchEvents}: the events of the ring, and those that follow; those of a time also from the files. Thread-safe.
 */
record EventHandler(EventRing ring, RecordLog<Event> kept) {
    /** So many events of a time, the last of them. */
    private static final int MOST = 100_000;

    void watch(WatchEventsRequest request, ServerCallStreamObserver<WatchEventsReply> observer) {
        boolean ofThisRun = request.getRun().isEmpty() || request.getRun().equals(ring.run());
        long after = ofThisRun ? request.getAfterSequence() : 0;
        if (request.getFollow()) {
            new Follower(observer, ring, after).begin();
        } else {
            Iterator<List<Event>> chunks =
                    Lists.partition(kept(request, after), ServiceTable.CHUNK).iterator();
            ServiceTable.pump(observer, () -> chunks.hasNext() ? reply(chunks.next(), ring.run()) : null);
        }
    }

    /** Of the ring, and if a time is named of the files what was before it. */
    private List<Event> kept(WatchEventsRequest request, long after) {
        Instant to = request.hasTo() ? Proto.instant(request.getTo()) : Instant.MAX;
        Set<String> types = Set.copyOf(request.getTypesList());
        String about = request.getAbout().strip();
        Predicate<Event> chosen = event -> event.sequence() > after
                && !event.at().isAfter(to)
                && (types.isEmpty() || types.contains(event.type()))
                && (about.isEmpty() || TraceQuery.keys(event).anyMatch(about::equals));
        return request.hasFrom()
                ? since(Proto.instant(request.getFrom()), to, after, about, chosen)
                : ring.after(after).stream().filter(chosen).toList();
    }

    private List<Event> since(Instant from, Instant to, long after, String about, Predicate<Event> chosen) {
        Predicate<Event> asked = event -> chosen.test(event) && !event.at().isBefore(from);
        List<Event> present = ring.after(0);
        long first = present.isEmpty() ? Long.MAX_VALUE : present.get(0).sequence();
        boolean whole =
                first <= after + 1 || !present.isEmpty() && present.get(0).at().isBefore(from);
        Predicate<Event> former = event -> event.sequence() < first && asked.test(event);
        Stream<Event> files = whole
                ? Stream.empty()
                : kept
                        .find(new HistorySearch<>(about.isEmpty() ? List.of() : List.of(about), from, to, former, MOST))
                        .stream()
                        .sorted(Comparator.comparing(Event::sequence));
        return Stream.concat(files, present.stream().filter(asked)).toList();
    }

    private static WatchEventsReply reply(List<Event> events, String run) {
        WatchEventsReply.Builder reply = WatchEventsReply.newBuilder().setRun(run);
        events.forEach(event -> Proto.fill(reply.addEventsBuilder(), event));
        return reply.build();
    }

    /**
     * Follows the ring for one caller. The ring pumps it when events come, and gRPC when the caller has read; the lock lets one of them
     * send at a time. Nothing is taken from the follower's bounded queue while the caller does not read.
     */
    private static final class Follower {
        private final ServerCallStreamObserver<WatchEventsReply> observer;
        private final EventFollower follower;
        private final String run;

        @GuardedBy("this")
        private boolean done;

        Follower(ServerCallStreamObserver<WatchEventsReply> observer, EventRing ring, long afterSequence) {
            this.observer = observer;
            this.run = ring.run();
            // the ring may pump from its own thread before the field is set; the lock makes it wait
            synchronized (this) {
                this.follower = ring.follow(afterSequence, this::pump);
            }
        }

        void begin() {
            observer.setOnCancelHandler(follower::close);
            observer.setOnReadyHandler(this::pump);
        }

        private synchronized void pump() {
            while (!done && observer.isReady() && !observer.isCancelled()) {
                List<Event> events = follower.take(ServiceTable.CHUNK);
                if (!events.isEmpty()) {
                    observer.onNext(reply(events, run));
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
}

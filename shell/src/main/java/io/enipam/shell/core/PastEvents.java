package io.enipam.shell.core;

import io.enipam.v1.Event;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** What the events that the daemon keeps tell of a moment of the past. */
public final class PastEvents {
    private PastEvents() {}

    /** All that are asked for in one reply, the oldest first. */
    public static WatchEventsReply ask(DaemonCommand command, WatchEventsRequest request) {
        WatchEventsReply.Builder all = WatchEventsReply.newBuilder();
        command.startStream(stub -> stub.watchEvents(request)).forEachRemaining(all::mergeFrom);
        return all.build();
    }

    /**
     * What the first event after the moment tells of each thing that one followed for: it was there then, unless that event says that it
     * began.
     *
     * @param beginnings types of events that say that a thing is there from now on
     * @param others types of events of a thing that is there
     */
    public record Followed(Map<String, Event> first, Set<String> beginnings) {
        /** @param things the ids that an event is about */
        public static Followed ask(
                DaemonCommand command,
                Instant moment,
                Set<String> beginnings,
                Set<String> others,
                Function<Event, Collection<String>> things) {
            WatchEventsRequest request = WatchEventsRequest.newBuilder()
                    .setFrom(TimeFormat.timestamp(moment))
                    .addAllTypes(beginnings)
                    .addAllTypes(others)
                    .build();
            Map<String, Event> first = new HashMap<>();
            PastEvents.ask(command, request).getEventsList().stream()
                    .filter(event -> TimeFormat.instant(event.getAt()).isAfter(moment))
                    .forEach(event -> things.apply(event).forEach(thing -> first.putIfAbsent(thing, event)));
            return new Followed(first, beginnings);
        }

        /** Whether it began after the moment. */
        public boolean began(String thing) {
            return first.containsKey(thing)
                    && beginnings.contains(first.get(thing).getType());
        }
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.model.Event;
import io.enipam.v1.WatchEventsReply;
import java.util.List;

/** Events on the wire. */
final class EventMapper {
    private EventMapper() {}

    static WatchEventsReply reply(List<Event> events, String run) {
        return WatchEventsReply.newBuilder()
                .setRun(run)
                .addAllEvents(events.stream().map(EventMapper::event).toList())
                .build();
    }

    static io.enipam.v1.Event event(Event event) {
        return io.enipam.v1.Event.newBuilder()
                .setSequence(event.sequence())
                .setAt(ProtoTime.timestamp(event.at()))
                .setSeverity(event.severity().name())
                .setType(event.type())
                .setSubject(event.subject())
                .setMessage(event.message())
                .putAllAttributes(event.attributes())
                .build();
    }
}

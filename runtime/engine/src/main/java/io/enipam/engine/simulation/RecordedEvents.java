package io.enipam.engine.simulation;

import io.enipam.engine.model.Event;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Keeps every event, to be looked at. Thread-safe. */
public final class RecordedEvents implements EventSink {
    private final List<Event> events = new ArrayList<>();
    private final TimeSource time;

    public RecordedEvents(TimeSource time) {
        this.time = time;
    }

    @Override
    public synchronized void publish(
            Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        events.add(new Event(events.size() + 1L, time.now(), severity, type, subject, message, attributes));
    }

    /** All events so far. */
    public synchronized List<Event> all() {
        return List.copyOf(events);
    }

    /** All events so far but the first ones. */
    public synchronized List<Event> behind(int first) {
        return List.copyOf(events.subList(first, events.size()));
    }

    /** The types of all events so far, in order. */
    public synchronized List<String> types() {
        return events.stream().map(Event::type).toList();
    }
}

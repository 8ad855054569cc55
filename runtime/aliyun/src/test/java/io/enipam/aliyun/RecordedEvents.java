package io.enipam.aliyun;

import io.enipam.engine.model.Event;
import io.enipam.engine.port.EventSink;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps the types and messages of all events. */
public final class RecordedEvents implements EventSink {
    private final List<String> types = new CopyOnWriteArrayList<>();
    private final List<String> messages = new CopyOnWriteArrayList<>();

    @Override
    public void publish(
            Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        types.add(type);
        messages.add(severity + " " + type + " " + subject + " " + message + " " + attributes);
    }

    public List<String> types() {
        return List.copyOf(types);
    }

    /** Severity, type, subject, message and attributes of each event of a type. */
    public List<String> of(String type) {
        return messages.stream()
                .filter(message -> message.split(" ", 3)[1].equals(type))
                .toList();
    }

    public List<String> messages() {
        return List.copyOf(messages);
    }
}

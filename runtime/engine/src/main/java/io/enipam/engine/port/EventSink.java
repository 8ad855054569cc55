package io.enipam.engine.port;

import io.enipam.engine.model.Event;
import java.util.Map;

/** Where the engine and the modules beside it report what happened. Thread-safe, never blocks, never throws. */
public interface EventSink {
    /**
     * Reports one event; the sink adds time and sequence.
     *
     * @see Event for the parameters' meaning
     */
    void publish(Event.Severity severity, String type, String subject, String message, Map<String, String> attributes);

    default void info(String type, String subject, String message) {
        publish(Event.Severity.INFO, type, subject, message, Map.of());
    }

    default void warning(String type, String subject, String message) {
        publish(Event.Severity.WARNING, type, subject, message, Map.of());
    }

    default void error(String type, String subject, String message) {
        publish(Event.Severity.ERROR, type, subject, message, Map.of());
    }
}

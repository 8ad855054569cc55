package io.enipam.engine.model;

import java.time.Instant;
import java.util.Map;

/**
 * Something that happened to a resource, an owner or the engine.
 *
 * @param sequence strictly +1 within one run of the daemon; a run goes on behind the number of the former one where its events are kept
 * @param type what happened, in CamelCase: {@code LeaseGranted}, {@code ResourceCreated}
 * @param subject what it happened to: an owner, a resource id, a pod, or {@code engine}
 * @param message one line for an operator
 */
public record Event(
        long sequence,
        Instant at,
        Severity severity,
        String type,
        String subject,
        String message,
        Map<String, String> attributes) {
    public Event {
        attributes = Map.copyOf(attributes);
    }

    /** The same under another number. */
    public Event numbered(long other) {
        return new Event(other, at, severity, type, subject, message, attributes);
    }

    public enum Severity {
        INFO,
        WARNING,
        ERROR
    }
}

package io.enipam.engine.model;

import java.time.Instant;
import java.util.Map;

/**
 * Something that happened to a resource, an owner or the engine.
 *
 * @param sequence strictly +1 from 1 on within one run of the daemon
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

    public enum Severity {
        INFO,
        WARNING,
        ERROR
    }
}

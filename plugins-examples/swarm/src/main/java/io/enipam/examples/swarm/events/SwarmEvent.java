package io.enipam.examples.swarm.events;

import io.enipam.sdk.Row;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Something that was done to an object.
 *
 * @param place names the event among those of one run of the log
 * @param at when the log heard of it
 * @param attributes what an operator knows it by, {@code name} among them
 * @param row the object as it was then; empty if it is removed
 */
public record SwarmEvent(
        String place,
        Instant at,
        Kind kind,
        Action action,
        String id,
        Map<String, String> attributes,
        Optional<Row<?>> row) {
    /** Of object. */
    public enum Kind {
        NETWORK,
        SERVICE,
        TASK,
        NODE
    }

    /** What was done to it. */
    public enum Action {
        CREATE,
        UPDATE,
        REMOVE
    }
}

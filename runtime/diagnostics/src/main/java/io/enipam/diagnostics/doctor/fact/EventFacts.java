package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.model.Event;
import java.util.List;

/**
 * The events that are kept, oldest first.
 *
 * @param room how many can be kept
 */
public record EventFacts(List<Event> kept, int room) {
    public EventFacts {
        kept = List.copyOf(kept);
    }
}

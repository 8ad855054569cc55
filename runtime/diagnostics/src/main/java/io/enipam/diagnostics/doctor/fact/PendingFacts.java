package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb.Intent;
import java.util.List;

/** What was begun and whose end is not known, in two looks a moment apart. */
public record PendingFacts(List<Intent> intents, List<CloudJournal.Entry> operations) {
    public PendingFacts {
        intents = List.copyOf(intents);
        operations = List.copyOf(operations);
    }
}

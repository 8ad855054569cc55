package io.enipam.diagnostics.doctor.fact;

import io.enipam.observability.history.Sample;
import java.util.List;

/** How the daemon fared lately, oldest first. */
public record HistoryFacts(List<Sample> samples) {
    public HistoryFacts {
        samples = List.copyOf(samples);
    }
}

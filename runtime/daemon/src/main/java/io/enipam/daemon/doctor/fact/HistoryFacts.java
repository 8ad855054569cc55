package io.enipam.daemon.doctor.fact;

import io.enipam.daemon.history.Sample;
import java.util.List;

/** How the daemon fared lately, oldest first. */
public record HistoryFacts(List<Sample> samples) {
    public HistoryFacts {
        samples = List.copyOf(samples);
    }
}

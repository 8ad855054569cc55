package io.enipam.diagnostics.doctor.fact;

import java.time.Instant;
import java.util.List;

/** When the daemon started, the last times; the present one is the last. */
public record StartFacts(List<Instant> starts) {
    public StartFacts {
        starts = List.copyOf(starts);
    }
}

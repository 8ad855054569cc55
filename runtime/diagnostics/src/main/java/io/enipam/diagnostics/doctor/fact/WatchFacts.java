package io.enipam.diagnostics.doctor.fact;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What only somebody sees who looks all the time.
 *
 * @param jumps of the clock, the latest last
 * @param waitingSince since when at each look somebody waited for an address; empty if at the last nobody did
 * @param belowSince since when at each look fewer were idle than the lower watermark wants, the pool not
 *     being drained
 */
public record WatchFacts(List<Jump> jumps, Optional<Instant> waitingSince, Optional<Instant> belowSince) {
    public WatchFacts {
        jumps = List.copyOf(jumps);
    }

    /**
     * The clock was set, or the machine slept.
     *
     * @param at when that was seen
     * @param by how far it went ahead, beside the time that passed; negative: back
     */
    public record Jump(Instant at, Duration by) {}
}

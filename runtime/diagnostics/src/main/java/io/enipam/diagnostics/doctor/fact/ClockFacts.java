package io.enipam.diagnostics.doctor.fact;

import java.time.Duration;

/** How far the cloud's clock is ahead of this node's, by the date of its last answer. */
public record ClockFacts(Duration cloudAhead) {}

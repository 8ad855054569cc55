package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.port.EniSweeper;

/** What a sweep would find now. */
public record SweepFacts(EniSweeper.Report report) {}

package io.enipam.daemon.doctor.fact;

import io.enipam.engine.port.EniSweeper;

/** What a sweep would find now. */
public record SweepFacts(EniSweeper.Report report) {}

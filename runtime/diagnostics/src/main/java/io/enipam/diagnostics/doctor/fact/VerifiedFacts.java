package io.enipam.diagnostics.doctor.fact;

import io.enipam.store.Verification;

/** The database's files and records, read whole, and held against the pool. */
public record VerifiedFacts(Verification verification) {}

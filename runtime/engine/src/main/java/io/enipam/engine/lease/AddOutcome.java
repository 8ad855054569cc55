package io.enipam.engine.lease;

import io.enipam.engine.model.Lease;

/**
 * What came of an {@link AddCommand}.
 *
 * @param lease the lease, durable
 * @param repeated whether the owner had it already and this call changed nothing
 */
public record AddOutcome(Lease lease, boolean repeated) {}

package io.enipam.engine.lease;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.DatapathResult;

/**
 * What came of an {@link AddCommand}.
 *
 * @param lease the lease, durable
 * @param repeated whether the owner had it already and this call changed nothing
 * @param wiring how the pod is connected
 */
public record AddOutcome(Lease lease, boolean repeated, DatapathResult wiring) {}

package io.enipam.engine.pool;

/**
 * What an order means for the pool as it is.
 *
 * @param idle idle now
 * @param makes how many are made, with those that are being made already
 * @param gives how many idle ones go back
 * @param keeps idle ones that stay: of an order to drain, addresses that go with their ENI alone, which others are still on
 * @param held cooling or reserved: they become idle when that ends
 * @param inUse lent
 * @param missing how many of those wished for there is no room for
 */
public record OverridePreview(int idle, int makes, int gives, int keeps, int held, int inUse, int missing) {}

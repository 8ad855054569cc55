/**
 * Member ENIs of a trunk, for pods that ask for an ENI and security groups of their own: an allocator for an owner.
 *
 * <p>{@link io.enipam.examples.trunk.TrunkAllocator} decides in transactions, by rows ({@link io.enipam.examples.trunk.Member}) of
 * one table; {@link io.enipam.examples.trunk.TrunkCloud} makes and removes what was decided, idempotently. The package imports the
 * SDK with its cloud, and nothing else.
 */
@NullMarked
package io.enipam.examples.trunk;

import org.jspecify.annotations.NullMarked;

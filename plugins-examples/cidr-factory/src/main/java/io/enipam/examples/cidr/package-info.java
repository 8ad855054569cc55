/**
 * Addresses from configured ranges, without any cloud: what CNI's {@code host-local} does, as a resource factory.
 *
 * <p>A {@link io.enipam.examples.cidr.AddressPlan} is the configuration, checked. A {@link io.enipam.examples.cidr.AllocationStore} is the
 * directory of files that says what is lent, and the only truth. An {@link io.enipam.examples.cidr.AllocationIndex} is the ledger
 * in memory beside the plan, for one thread. {@link io.enipam.examples.cidr.CidrFactory} is that thread. The package imports
 * the SDK, slf4j and the library that computes with addresses.
 */
@NullMarked
package io.enipam.examples.cidr;

import org.jspecify.annotations.NullMarked;

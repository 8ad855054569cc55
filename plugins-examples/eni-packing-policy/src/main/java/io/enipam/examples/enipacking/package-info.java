/**
 * The policy {@code eni-packing}: pods share the fullest ENIs, so that the emptiest become free and go back whole. {@link
 * io.enipam.examples.enipacking.EniAddresses} groups a snapshot by ENI once, and {@link
 * io.enipam.examples.enipacking.EniPackingPolicy} answers from that. Imports the SDK alone; the daemon calls it.
 */
@NullMarked
package io.enipam.examples.enipacking;

import org.jspecify.annotations.NullMarked;

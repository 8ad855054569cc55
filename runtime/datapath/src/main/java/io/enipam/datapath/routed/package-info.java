/**
 * Pods with an address that is led to the node, as those of the node's own CIDR in terway's VPC mode are: a veth pair, and the
 * node's main table for everything that goes in and out.
 */
@NullMarked
package io.enipam.datapath.routed;

import org.jspecify.annotations.NullMarked;

/**
 * {@code ClusterCIDR} objects, from which groups of nodes get their blocks: what one says, which are for a node and in which order, and
 * what the controller does for the objects themselves. Knows {@code blocks} and the interface {@code NodeAllocator}; the root package
 * wires it.
 */
@NullMarked
package io.enipam.examples.nodeipam.clustercidr;

import org.jspecify.annotations.NullMarked;

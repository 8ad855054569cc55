/**
 * Addresses of the node's own CIDR, for clusters that route each node's CIDR to it: no cloud is called for a pod. Uses
 * the package {@code api} and the SDK; the daemon opens the factory.
 */
@NullMarked
package io.enipam.kubernetes.cidr;

import org.jspecify.annotations.NullMarked;

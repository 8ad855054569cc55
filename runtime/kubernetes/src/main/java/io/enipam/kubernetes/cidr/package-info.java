/**
 * Addresses of the node's own CIDR, for clusters whose routes lead each node's CIDR to it: no cloud is called for a pod. Stands on
 * the room {@code api} and on the SDK; the daemon opens the factory.
 */
@NullMarked
package io.enipam.kubernetes.cidr;

import org.jspecify.annotations.NullMarked;

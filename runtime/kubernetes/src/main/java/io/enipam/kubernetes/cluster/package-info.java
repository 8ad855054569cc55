/**
 * The service {@link io.enipam.sdk.cluster.Cluster} that parts of plugins are lent, and leadership by a Lease. Uses the package
 * {@code api}. Nothing of it is loaded before a part asks for the service, or a host has replicas.
 */
@NullMarked
package io.enipam.kubernetes.cluster;

import org.jspecify.annotations.NullMarked;

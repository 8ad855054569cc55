/**
 * What the cluster is told of the node, and what it says of the node's network: the condition {@code SufficientIP}, the annotation
 * of capacity, the service CIDR. Stands on the room {@code api}.
 */
@NullMarked
package io.enipam.kubernetes.node;

import org.jspecify.annotations.NullMarked;

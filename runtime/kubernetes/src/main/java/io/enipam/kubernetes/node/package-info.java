/**
 * The node object: the condition {@code SufficientIP} and the capacity annotation that the daemon reports, and the
 * network data that it reads, such as the service CIDR. Uses the package {@code api}.
 */
@NullMarked
package io.enipam.kubernetes.node;

import org.jspecify.annotations.NullMarked;

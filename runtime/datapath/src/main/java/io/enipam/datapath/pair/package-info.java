/**
 * A veth pair from the node into a pod, and what kinds of links that have one do alike: the pair itself, the gateway that is none,
 * the host's route to the pod, and how all that looks when it is well.
 */
@NullMarked
package io.enipam.datapath.pair;

import org.jspecify.annotations.NullMarked;

/**
 * The daemon in its cluster: pods from the API server, garbage collection soon after a deletion, and reports of events
 * and the node's condition to the cluster. Builds on the module enipam-kubernetes, which knows nothing of engines.
 */
@NullMarked
package io.enipam.node.cluster;

import org.jspecify.annotations.NullMarked;

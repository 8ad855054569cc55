/**
 * The daemon in its cluster: pods by the API server, garbage collected soon after a deletion, events and the node's condition told
 * to whoever looks at the cluster and not at the node. Stands on the module enipam-kubernetes, which knows nothing of engines.
 */
@NullMarked
package io.enipam.node.cluster;

import org.jspecify.annotations.NullMarked;

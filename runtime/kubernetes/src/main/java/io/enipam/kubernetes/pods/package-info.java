/**
 * The pods of this node: what their manifests say about the network, a watch on them, and the engine's directory on both.
 * Stands on the room {@code api}.
 */
@NullMarked
package io.enipam.kubernetes.pods;

import org.jspecify.annotations.NullMarked;

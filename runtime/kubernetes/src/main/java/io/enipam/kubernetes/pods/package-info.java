/**
 * The pods of this node: their network settings from manifests, a watch, and the engine's pod directory on both. Uses
 * the package {@code api}.
 */
@NullMarked
package io.enipam.kubernetes.pods;

import org.jspecify.annotations.NullMarked;

/**
 * Garbage collection: ends leases whose pod is gone though no DEL came. Called by the engine on a timer and on demand; it
 * asks the pod directory and releases through the engine's own DEL path.
 */
@NullMarked
package io.enipam.engine.gc;

import org.jspecify.annotations.NullMarked;

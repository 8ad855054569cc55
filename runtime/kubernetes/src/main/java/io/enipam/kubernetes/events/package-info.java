/**
 * Events on pods and on the node, shown by {@code kubectl describe}: counted instead of repeated, limited for each
 * object, and without blocking callers. Uses the package {@code api}.
 */
@NullMarked
package io.enipam.kubernetes.events;

import org.jspecify.annotations.NullMarked;

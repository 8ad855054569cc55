/**
 * Events on pods and on the node, for whoever says {@code kubectl describe}: counted instead of repeated, so many an object,
 * and never in anybody's way. Stands on the room {@code api}.
 */
@NullMarked
package io.enipam.kubernetes.events;

import org.jspecify.annotations.NullMarked;

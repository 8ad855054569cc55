/**
 * The resource database on disk: an append-only journal is the truth, MapDB the view that is rebuilt from it. It implements
 * the engine's ResourceDb port; the daemon alone calls it.
 */
@NullMarked
package io.enipam.store;

import org.jspecify.annotations.NullMarked;

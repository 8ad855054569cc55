/**
 * The resource database as the daemon's user meets it: verified together with the pool, saved, restored, compacted. It works
 * with the store's tools and the engine, one thing at a time and on a thread of its own, so that a long look at many files
 * holds up no other call.
 */
@NullMarked
package io.enipam.recovery.db;

import org.jspecify.annotations.NullMarked;

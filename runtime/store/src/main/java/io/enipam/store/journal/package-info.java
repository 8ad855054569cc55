/**
 * The journal: preallocated files of checksummed frames, written by one thread and read at start. It knows bytes and
 * generations, not what they mean; the database above it does.
 */
@NullMarked
package io.enipam.store.journal;

import org.jspecify.annotations.NullMarked;

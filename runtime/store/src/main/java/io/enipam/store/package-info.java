/**
 * The resource database on disk: an append-only journal is the truth, and MapDB the format of the checkpoints that shorten it. A disk
 * that fails is got over without a restart, see {@code Journal}. It implements the engine's ResourceDb port and imports the engine's
 * model and ports and its {@code AddressIndex}, MapDB and Jackson, nothing else of the runtime. The daemon alone opens it; every file
 * operation durability rests on goes through {@code Disk}.
 */
@NullMarked
package io.enipam.store;

import org.jspecify.annotations.NullMarked;

/**
 * The views: the live one in memory, which answers every question, and the checkpoints on disk, which spare a start from
 * reading the journal from its beginning. Both are MapDB; the database alone calls them.
 */
@NullMarked
package io.enipam.store.view;

import org.jspecify.annotations.NullMarked;

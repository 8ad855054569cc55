/**
 * The resource database on disk: an append-only journal is the truth, MapDB the view that is queried, dumped and rebuilt
 * from it. It implements the engine's {@code ResourceDb} port; the daemon alone opens it. The rooms below are the journal,
 * the records' text form, and the views.
 */
@NullMarked
package io.enipam.store;

import org.jspecify.annotations.NullMarked;

/**
 * Where the sources differ. Each {@link io.enipam.diagnostics.sources.compare.Comparison} holds two sources against each other and is
 * a pure function of a snapshot; one that needs a source that did not answer finds nothing. {@link
 * io.enipam.diagnostics.sources.compare.Comparing} looks until a difference has lasted, so that an ADD or DEL under way is none.
 */
@NullMarked
package io.enipam.diagnostics.sources.compare;

import org.jspecify.annotations.NullMarked;

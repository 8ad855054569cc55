/**
 * Where the sources differ. A rule compares some of the sources and is a pure function of a snapshot. {@link
 * io.enipam.diagnostics.sources.compare.SourceComparison} looks until a difference has lasted, so that an ADD or DEL under way is
 * none; {@code explain}, {@code doctor} and CNI CHECK share it.
 */
@NullMarked
package io.enipam.diagnostics.sources.compare;

import org.jspecify.annotations.NullMarked;

/** Fakes of sources and of a doctor. */
@NullMarked
package io.enipam.diagnostics.testing;

import org.jspecify.annotations.NullMarked;

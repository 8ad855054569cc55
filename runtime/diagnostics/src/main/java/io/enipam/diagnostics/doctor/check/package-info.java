/**
 * The checks, one class each. A check looks at facts and says what it found; it asks nobody, waits for nothing but its facts,
 * and changes nothing. {@link io.enipam.diagnostics.doctor.check.Catalogue} names all of them.
 */
@NullMarked
package io.enipam.diagnostics.doctor.check;

import org.jspecify.annotations.NullMarked;

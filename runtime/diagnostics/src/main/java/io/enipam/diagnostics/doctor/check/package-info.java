/**
 * The checks, as rows by subject, with the facts that they read. A check decides from facts alone: it waits for nothing else and
 * changes nothing. {@link io.enipam.diagnostics.doctor.check.Catalogue} lists all of them.
 */
@NullMarked
package io.enipam.diagnostics.doctor.check;

import org.jspecify.annotations.NullMarked;

/**
 * The doctor: a catalogue of checks, run side by side on facts that are gathered once, each with its evidence and what to do about
 * it. The checks are rows by subject, with the facts that they read beside them; a check decides from facts alone and changes
 * nothing. Only a {@link io.enipam.diagnostics.doctor.Repair} changes something.
 */
@NullMarked
package io.enipam.diagnostics.doctor;

import org.jspecify.annotations.NullMarked;

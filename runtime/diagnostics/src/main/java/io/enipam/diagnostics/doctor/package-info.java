/**
 * The doctor: a catalogue of checks, made side by side on facts that are gathered once, each with its evidence and what to do
 * about it. {@code check} holds the checks, which only judge; {@code fact} holds what they judge and who gathers it. Nothing
 * here changes anything, but for {@link io.enipam.diagnostics.doctor.Repairs}.
 */
@NullMarked
package io.enipam.diagnostics.doctor;

import org.jspecify.annotations.NullMarked;

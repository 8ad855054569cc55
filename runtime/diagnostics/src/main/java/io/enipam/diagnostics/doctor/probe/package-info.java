/** Facts that this module gathers from the host itself, each with what reads it. Other facts lie with their checks. */
@NullMarked
package io.enipam.diagnostics.doctor.probe;

import org.jspecify.annotations.NullMarked;

/**
 * Explains one thing to an operator: what it is, why it is as it is, what happens next and when, and what every source
 * says of it. {@link io.enipam.diagnostics.explain.Explainer} asks the sources and lets differences last; everything
 * else is a pure function of that {@link io.enipam.diagnostics.explain.ExplainContext}. Times are never written into
 * sentences: they stand beside them, so that the shell can show them in its own zone.
 */
@NullMarked
package io.enipam.diagnostics.explain;

import org.jspecify.annotations.NullMarked;

/**
 * Traces: a {@link io.enipam.engine.trace.TraceRecorder} records, a {@link io.enipam.engine.trace.TraceSnapshot} is
 * what a reader gets. Sinks of {@link io.enipam.engine.port.TraceSink} are made of these; the engine's other packages
 * know only the ports. It imports the ports and the model.
 */
@NullMarked
package io.enipam.engine.trace;

import org.jspecify.annotations.NullMarked;

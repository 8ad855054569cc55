/**
 * How a story is kept: a {@link io.enipam.engine.trace.TraceRecorder} while it is told, a {@link io.enipam.engine.trace.TraceSnapshot} when
 * a reader asks. Sinks of {@link io.enipam.engine.port.TraceSink} are made of these; the engine's own rooms know the ports
 * alone. It imports the ports and the model.
 */
@NullMarked
package io.enipam.engine.trace;

import org.jspecify.annotations.NullMarked;

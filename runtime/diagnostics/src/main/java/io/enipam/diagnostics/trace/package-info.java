/**
 * What the daemon remembers of its operations: a {@link io.enipam.diagnostics.trace.TraceRing} of traces, bounded by
 * count and memory, and how the traces of an ADD, of the addresses made for it and of the calls of the cloud become
 * one. Of the engine it imports only the ports and the trace package.
 */
@NullMarked
package io.enipam.diagnostics.trace;

import org.jspecify.annotations.NullMarked;

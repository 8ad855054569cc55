/**
 * What the daemon remembers of its operations: a {@link io.enipam.diagnostics.trace.TraceRing} of stories, bounded by count and
 * memory, and how the stories of an ADD, of the addresses made for it and of the calls of the cloud become one. It imports the
 * engine's ports and its room of stories alone.
 */
@NullMarked
package io.enipam.diagnostics.trace;

import org.jspecify.annotations.NullMarked;

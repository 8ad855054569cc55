/**
 * The ring of recent events and its followers. It implements the engine's EventSink port, and the gRPC services read
 * it; it imports only the engine's model. Publishing never waits for a reader. What outlives the daemon is
 * somebody else's: the ring is given the events of former runs, and hands each new one on.
 */
@NullMarked
package io.enipam.events;

import org.jspecify.annotations.NullMarked;

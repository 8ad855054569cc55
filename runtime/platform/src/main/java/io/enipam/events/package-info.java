/**
 * The ring of recent events and those who follow it. It implements the engine's EventSink port and is read by the
 * gRPC services; it imports the engine's model alone. Publishing never waits for a reader.
 */
@NullMarked
package io.enipam.events;

import org.jspecify.annotations.NullMarked;

/**
 * How the daemon fares: meters that count as things happen, and a ring of samples taken of them every few seconds.
 *
 * <p>{@link io.enipam.observability.history.Meters} is the one place where everything measured can be read, whoever publishes it:
 * the history, the shell, or a scraper. Who is measured takes no lock for it: {@link
 * io.enipam.observability.history.MeteredEngine} and {@link io.enipam.observability.history.MeteredDb} stand before the engine and the
 * database and count what passes. The package imports the engine's ports and the cloud's call book, and nothing of the wire.
 */
@NullMarked
package io.enipam.observability.history;

import org.jspecify.annotations.NullMarked;

/**
 * How the daemon fares: meters that count as things happen, and a ring of samples taken of them every few seconds.
 *
 * <p>{@link io.enipam.observability.history.Meters} is the one place where every measurement can be read, by the history, the shell or a
 * scraper. Counting takes no lock: {@link io.enipam.observability.history.Meters#counting} and
 * {@link io.enipam.observability.history.MeteredDb} stand before the engine and the database and count the calls. The package imports the
 * engine's ports and the cloud's call log, and nothing of the wire.
 */
@NullMarked
package io.enipam.observability.history;

import org.jspecify.annotations.NullMarked;

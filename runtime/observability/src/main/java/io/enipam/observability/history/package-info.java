/**
 * Measurements of the daemon: meters that count events as they occur, and a ring of samples taken of them every few
 * seconds.
 *
 * <p>{@link io.enipam.observability.history.Meters} is the one place where history, shell and scrapers read all
 * measurements. Counting takes no lock: {@link io.enipam.observability.history.Meters#counting} and
 * {@link io.enipam.observability.history.MeteredDb} wrap the engine and the database and count the calls. The package
 * imports the engine's ports and the cloud's call log, and no wire formats.
 */
@NullMarked
package io.enipam.observability.history;

import org.jspecify.annotations.NullMarked;

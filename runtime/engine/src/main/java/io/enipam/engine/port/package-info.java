/**
 * What the engine needs of the world: time, threads, database, pods, kernel, and a place to report to. Modules beside the
 * engine implement these interfaces; a fake of each stands in {@code io.enipam.engine.testing}. All of them are
 * asynchronous or instant, so that a simulator can run the engine in virtual time.
 */
@NullMarked
package io.enipam.engine.port;

import org.jspecify.annotations.NullMarked;

/**
 * All that a plugin compiles against: entry point, resource factories, pool policies and the values they exchange.
 *
 * <p>The package imports the JDK and jspecify, nothing else, so that a plugin never meets a library version it did not
 * choose. The engine and every plugin may call it; it calls nobody. It grows by adding: a new method of an interface
 * has a default, a new kind of answer has a default reaction in the engine.
 */
@NullMarked
package io.enipam.sdk;

import org.jspecify.annotations.NullMarked;

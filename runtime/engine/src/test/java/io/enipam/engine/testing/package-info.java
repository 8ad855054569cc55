/**
 * What tests of every module need beside {@code io.enipam.engine.simulation}: grants that a test puts there, threads, and points at which a
 * process dies. Nothing that ships runs them.
 */
@NullMarked
package io.enipam.engine.testing;

import org.jspecify.annotations.NullMarked;

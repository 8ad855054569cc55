/**
 * A fake beside each port that {@code io.enipam.engine.simulation} has none of: a factory, pods and a kernel that do what a test says.
 * Tests of every module may use them; nothing that ships runs them.
 */
@NullMarked
package io.enipam.engine.testing;

import org.jspecify.annotations.NullMarked;

/**
 * A fake beside each port: virtual time, a database in memory that survives a simulated crash, a factory, pods and a kernel
 * that do what a test says. Tests of every module may use them; nothing that ships runs them.
 */
@NullMarked
package io.enipam.engine.testing;

import org.jspecify.annotations.NullMarked;

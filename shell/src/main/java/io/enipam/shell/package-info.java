/**
 * The program {@code enipam}: reads the command line, attaches to a daemon or starts a sandbox, and runs commands.
 *
 * <p>Nothing here knows the engine: all that the shell knows of a daemon is the package {@code enipam.v1} of the wire
 * contract. The packages below are, from the bottom: {@code render}, {@code attach}, {@code text}, {@code sandbox},
 * {@code runbook}, {@code top}, {@code bundle}, {@code command} and {@code repl}; each uses only those before it.
 */
@NullMarked
package io.enipam.shell;

import org.jspecify.annotations.NullMarked;

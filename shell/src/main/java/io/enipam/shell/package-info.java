/**
 * The program {@code enipam}: reads its options, attaches to a daemon or starts a sandbox, and runs commands. It is the
 * top: {@link io.enipam.shell.CommandTree} names all commands, every other package is used from here, and none but
 * {@code reference} uses this one. Nothing knows the engine: what the shell knows of a daemon is the package {@code
 * enipam.v1} of the wire contract.
 */
@NullMarked
package io.enipam.shell;

import org.jspecify.annotations.NullMarked;

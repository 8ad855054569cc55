/**
 * What a command of the shell costs, as a process from exec to exit: with its class-data archive, without it, and beside the
 * least that any client of the daemon in Java has to do, one gRPC call on the same socket, from an archive of its own.
 */
@NullMarked
package io.enipam.bench.shell;

import org.jspecify.annotations.NullMarked;

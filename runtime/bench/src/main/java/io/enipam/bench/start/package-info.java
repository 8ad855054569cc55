/**
 * What a start of the daemon costs, as a process of its own from exec to ready, with as many leases as a node ever has and
 * with many more. Beside it the least that any daemon in Java has to do: a JVM, a gRPC server on a socket, and the same
 * records read from a MapDB file.
 */
@NullMarked
package io.enipam.bench.start;

import org.jspecify.annotations.NullMarked;

/**
 * The way to a daemon: a gRPC channel over its unix socket, what can go wrong on it, and the sandbox's private daemon. The
 * package imports gRPC, netty's transport and the protocol's stubs; it prints nothing.
 */
@NullMarked
package io.enipam.shell.attach;

import org.jspecify.annotations.NullMarked;

/**
 * The way to a daemon: a gRPC channel over its unix socket, and what can go wrong on it. The package imports gRPC,
 * netty's epoll transport and the protocol's stubs; it prints nothing.
 */
@NullMarked
package io.enipam.shell.attach;

import org.jspecify.annotations.NullMarked;

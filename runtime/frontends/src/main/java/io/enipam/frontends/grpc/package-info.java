/**
 * gRPC servers on unix sockets, with the credentials of the caller from the kernel, and the translation of failures. Imports the engine's errors and
 * nothing else of the daemon; the packages {@code rpc} and {@code terway} define their services on it.
 */
@NullMarked
package io.enipam.frontends.grpc;

import org.jspecify.annotations.NullMarked;

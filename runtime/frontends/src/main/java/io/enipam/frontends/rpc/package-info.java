/**
 * The control socket: the peer's identity, its rights, and enipam.v1's services over the engine. Imports the
 * engine's views, the protocol's stubs and gRPC. Nothing here decides anything about addresses; it authorises,
 * translates and streams.
 */
@NullMarked
package io.enipam.frontends.rpc;

import org.jspecify.annotations.NullMarked;

/**
 * What an operator sees and does, and a program by gRPC: the commands under the noun {@code swarm}, checks and metrics. Reads the tables, and changes them by the
 * control API of {@code state} alone; of the allocator it has the reasons for which objects wait.
 *
 * <p>The daemon serves {@code enipam.swarm.v1.Swarm} on its own socket: the plugin gives it methods over bytes
 * ({@link io.enipam.sdk.RpcService}). A socket of the plugin's own would need a second server with rights, limits and an audit log of its
 * own; and classes of gRPC that the daemon and plugins shared would tie each plugin to the daemon's version of them.
 */
@NullMarked
package io.enipam.examples.swarm.operate;

import org.jspecify.annotations.NullMarked;

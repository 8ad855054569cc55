package io.enipam.frontends.rpc;

/**
 * The process at the other end of a unix socket, as the kernel tells (SO_PEERCRED): it cannot be forged.
 *
 * @param uid user id
 * @param gid the primary group at the time of the connect; -1 if the kernel told none
 * @param pid process id
 */
public record Peer(int uid, int gid, int pid) {}

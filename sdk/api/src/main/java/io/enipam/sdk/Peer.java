package io.enipam.sdk;

/**
 * The process at the other end of a unix socket, as the kernel knew it when it connected: it cannot be forged.
 *
 * @param uid its user
 * @param gid its primary group; -1 if the kernel gave none
 * @param pid its process id, in the daemon's namespace
 */
public record Peer(int uid, int gid, int pid) {}

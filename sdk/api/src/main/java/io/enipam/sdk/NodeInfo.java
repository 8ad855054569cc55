package io.enipam.sdk;

/** The host that a plugin runs in. */
public interface NodeInfo {
    /** The node's name as the cluster has it; on a host of role {@link Role#CLUSTER}, that of the replica. */
    String name();

    Role role();
}

package io.enipam.sdk;

/** What a host is there for. */
public enum Role {
    /** One host on each node: it serves the node's pods. */
    NODE,
    /** A few hosts for a cluster, of which one at a time is active. */
    CLUSTER
}

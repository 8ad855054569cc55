package io.enipam.engine.model;

/** Who connects a pod to the network. */
public enum Connector {
    /** Nobody: the pod is simulated and has no network namespace. */
    NOBODY,
    /** This daemon. */
    DAEMON,
    /** Who asks for the address does it himself, as terway's CNI plugin does; the daemon remembers that it was done. */
    CALLER
}

package io.enipam.shell.fanout;

import io.enipam.shell.fleet.NodeRoute;

/** Reaches nodes. Thread-safe. */
@FunctionalInterface
public interface Nodes {
    /**
     * A way to a node's daemon, which is closed after its use.
     *
     * @throws io.enipam.shell.attach.ShellException if there is none
     */
    NodeRoute to(String node);
}

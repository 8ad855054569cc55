package io.enipam.shell.fleet;

/** Reaches nodes. Thread-safe. */
@FunctionalInterface
public interface NodeConnector {
    /**
     * A way to a node's daemon, which is closed after its use.
     *
     * @throws io.enipam.shell.attach.ShellException if there is none
     */
    NodeRoute routeTo(String node);
}

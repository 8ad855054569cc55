package io.enipam.shell.fleet;

/**
 * A pod in which a daemon runs, or should.
 *
 * @param node it is on
 * @param container the daemon's
 * @param trouble why nothing can be run in it, as {@code CrashLoopBackOff: back-off 5m0s}; empty if something can
 */
public record DaemonPod(String node, String namespace, String name, String container, String trouble) {
    boolean usable() {
        return trouble.isEmpty();
    }
}

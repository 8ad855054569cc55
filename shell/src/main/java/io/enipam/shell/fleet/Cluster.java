package io.enipam.shell.fleet;

import io.enipam.shell.attach.ShellException;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A cluster, as the API server has it. Thread-safe; every request has a deadline, and what fails is a {@link ShellException} that
 * says which verb was wanted of what.
 */
public interface Cluster extends AutoCloseable {
    /**
     * Finds the way to an API server; connects to nothing yet.
     *
     * @param environment of the process: KUBECONFIG, HOME and the KUBERNETES_SERVICE_ of a pod are read
     * @throws ShellException if there is none, or the context is not known
     */
    static Cluster open(ClusterTarget place, Map<String, String> environment) {
        return KubernetesCluster.open(place, environment);
    }

    /**
     * The pod of the daemon on a node, looked up now: one that runs, before one that is being replaced.
     *
     * @throws ShellException if there is no such node, no pod on it, or none in which something can be run
     */
    DaemonPod daemonOn(String node);

    /**
     * The nodes, by name, with the daemon's pod where there is one.
     *
     * @throws ShellException if they cannot be listed
     */
    SortedMap<String, Optional<DaemonPod>> nodes(NodeSelector choice);

    /**
     * Starts the relay in a pod.
     *
     * @param end takes what it says; called by one thread at a time
     * @throws ShellException if it cannot be started
     */
    Tunnel dial(DaemonPod pod, TunnelReceiver end);

    @Override
    void close();
}

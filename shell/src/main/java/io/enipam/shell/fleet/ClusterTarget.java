package io.enipam.shell.fleet;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which cluster, and where the daemons are in it.
 *
 * @param kubeconfig the file that says where the API server is; empty for those that kubectl would take
 * @param context of it; empty for its current one
 * @param namespace of the daemons' pods
 * @param selector the label selector of these pods
 * @param relay the command in the pod that passes bytes on to the daemon's socket
 */
public record ClusterTarget(
        Optional<Path> kubeconfig, Optional<String> context, String namespace, String selector, List<String> relay) {
    /** Where the DaemonSet of {@code runtime/deploy} is. */
    public static final String NAMESPACE = "kube-system";

    /** The labels of its pods. */
    public static final String SELECTOR = "app.kubernetes.io/name=enipam,app.kubernetes.io/component=daemon";

    /** What its image has on its path. */
    public static final String RELAY = "enipam relay";

    public ClusterTarget {
        relay = List.copyOf(relay);
    }
}

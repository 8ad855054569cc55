package io.enipam.kubernetes.node;

import io.enipam.kubernetes.api.ApiServerClient;
import io.fabric8.kubernetes.api.model.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Makes sure that the node which the API server has under a name is the machine that this is: there is such a node, and its kubelet
 * has told the boot ID of this machine's kernel, which no other kernel has. Whoever has the wrong name, or the kubeconfig of another
 * cluster, would take all pods for gone. Thread-safe.
 *
 * @see <a href="https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html">proc_sys_kernel(5), random/boot_id</a>
 */
public final class NodeIdentityCheck {
    /** The same in every container of the machine. */
    public static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final ApiServerClient calls;
    private final String node;
    private final Path bootId;

    /**
     * @param node name of the node, as the API server should have it
     * @param bootId file with the boot ID; where it cannot be read, the name alone counts
     */
    public NodeIdentityCheck(ApiServerClient calls, String node, Path bootId) {
        this.calls = calls;
        this.node = node;
        this.bootId = bootId;
    }

    /** Asks, with one request; fails with {@link IOException}, whose message says what is wrong and what to do. */
    public CompletableFuture<Void> verify() {
        return calls.request(
                        "GET node " + node,
                        client -> Optional.ofNullable(
                                client.nodes().withName(node).get()))
                .thenCompose(found -> wrong(found)
                        .<CompletableFuture<Void>>map(why -> CompletableFuture.failedFuture(new IOException(why)))
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    private Optional<String> wrong(Optional<Node> found) {
        if (found.isEmpty()) {
            return Optional.of("the API server has no node '" + node
                    + "': set node.name, or NODE_NAME, to the name that this node has in the cluster");
        }
        String its = told(found.get());
        String ours = ours();
        return its.isEmpty() || ours.isEmpty() || its.equalsIgnoreCase(ours)
                ? Optional.empty()
                : Optional.of("node '" + node + "' of the cluster is another machine, with boot ID " + its + " and not "
                        + ours + ": see node.name and the kubeconfig; after a reboot the kubelet has to start first");
    }

    private static String told(Node node) {
        return node.getStatus() == null
                        || node.getStatus().getNodeInfo() == null
                        || node.getStatus().getNodeInfo().getBootID() == null
                ? ""
                : node.getStatus().getNodeInfo().getBootID().strip();
    }

    private String ours() {
        try {
            return Files.readString(bootId).strip();
        } catch (IOException e) {
            // a kernel without /proc: there is nothing to compare
            return "";
        }
    }
}

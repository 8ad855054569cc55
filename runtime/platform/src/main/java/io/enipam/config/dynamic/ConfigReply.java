package io.enipam.config.dynamic;

import io.enipam.config.Overlay;
import io.enipam.kubernetes.node.NodeLabels;
import java.util.List;
import java.util.Optional;

/**
 * What the API server said when it was asked for this node's configuration.
 *
 * @param node the node object; empty if there is none of that name
 * @param named the ConfigMap that its label names: {@code kube-system/gpu-nodes}
 * @param overlay what that one says; empty if there is none of that name
 * @param services the addresses of the cluster's services; empty if that was not asked, or could not be
 */
record ConfigReply(
        Optional<NodeLabels> node, Optional<String> named, Optional<Overlay> overlay, Optional<List<String>> services) {}

package io.enipam.daemon;

import io.enipam.config.DaemonConfig;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.config.dynamic.ServiceCidrResolver;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.EventSink;
import io.enipam.frontends.terway.TerwayContext;
import io.enipam.frontends.terway.TerwaySocket;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.kernel.NodeView;
import io.enipam.node.pods.NodePods;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** Opens the socket that terway's own CNI plugin calls, unless the configuration has none. */
record TerwayModule(
        DaemonConfig config,
        DaemonLayout layout,
        LiveConfig live,
        IpamEngine engine,
        NodePods pods,
        NodeDatapath kernel,
        NodeView node,
        ServiceCidrResolver services,
        NodeCidrProvider nodeCidr,
        EventSink events,
        ScheduledExecutorService threads) {
    void open(Closer opened, int ownUid) throws IOException {
        Optional<Path> path = config.terwaySocket(layout.terwaySocket());
        if (path.isPresent()) {
            TerwayContext context = new TerwayContext(
                    live::now,
                    engine,
                    pods,
                    kernel,
                    node,
                    new TerwayContext.ClusterNetwork(
                            services::usable,
                            () -> nodeCidr.last().map(Object::toString),
                            nodeCidr.files(),
                            layout.terwaySandboxes()),
                    events,
                    threads);
            opened.push("terway's socket", TerwaySocket.open(path.get(), ownUid, context));
        }
    }
}

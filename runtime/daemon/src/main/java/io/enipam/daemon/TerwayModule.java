package io.enipam.daemon;

import io.enipam.daemon.cluster.NodeCidrProvider;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.kernel.NodeDatapath;
import io.enipam.daemon.kernel.NodeView;
import io.enipam.daemon.dynamicconfig.LiveConfig;
import io.enipam.daemon.dynamicconfig.ServiceCidrResolver;
import io.enipam.daemon.pods.NodePods;
import io.enipam.daemon.terway.TerwayContext;
import io.enipam.daemon.terway.TerwaySocket;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.EventSink;
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
            TerwayContext desk = new TerwayContext(
                    live::now,
                    engine,
                    pods,
                    kernel,
                    node,
                    services::usable,
                    new TerwayContext.HostLocal(
                            () -> nodeCidr.last().map(Object::toString), nodeCidr.files(), layout.terwaySandboxes()),
                    events,
                    threads);
            opened.push("terway's socket", TerwaySocket.open(path.get(), ownUid, desk));
        }
    }
}

package io.enipam.daemon;

import io.enipam.daemon.cluster.NodeCidrOpener;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.kernel.NodeKernel;
import io.enipam.daemon.kernel.NodeView;
import io.enipam.daemon.live.LiveConfig;
import io.enipam.daemon.live.ServiceAddresses;
import io.enipam.daemon.pods.NodePods;
import io.enipam.daemon.terway.TerwayDesk;
import io.enipam.daemon.terway.TerwaySocket;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.EventSink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** Opens the socket that terway's own CNI plugin calls, unless the configuration has none. */
record TerwayDoor(
        DaemonConfig config,
        DaemonLayout layout,
        LiveConfig live,
        IpamEngine engine,
        NodePods pods,
        NodeKernel kernel,
        NodeView node,
        ServiceAddresses services,
        NodeCidrOpener nodeCidr,
        EventSink events,
        ScheduledExecutorService threads) {
    void open(ClosingOrder opened, int ownUid) throws IOException {
        Optional<Path> path = config.terwaySocket(layout.terwaySocket());
        if (path.isPresent()) {
            TerwayDesk desk = new TerwayDesk(
                    live::now,
                    engine,
                    pods,
                    kernel,
                    node,
                    services::usable,
                    new TerwayDesk.HostLocal(
                            () -> nodeCidr.last().map(Object::toString), nodeCidr.files(), layout.terwaySandboxes()),
                    events,
                    threads);
            opened.push("terway's socket", TerwaySocket.open(path.get(), ownUid, desk));
        }
    }
}

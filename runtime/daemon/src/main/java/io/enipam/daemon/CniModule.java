package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.frontends.cni.CniHandler;
import io.enipam.frontends.cni.CniHandler.ClaimContext;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.CniSocket;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.frontends.terway.TerwayContext;
import io.enipam.frontends.terway.TerwaySocket;
import io.enipam.node.cluster.NodeCidrProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets that container runtimes call: the CNI's, and terway's. */
record CniModule(EngineModule.Foundation on, EngineModule running, ServiceContext served) {
    private static final Logger LOG = LoggerFactory.getLogger(CniModule.class);

    /**
     * Begins to serve, before the engine has recovered: calls wait.
     *
     * @throws IOException if a socket cannot be made
     */
    void open() throws IOException {
        openTerway(FrontendModule.ownUid());
        openCni();
    }

    /** The socket for terway's own CNI plugin, unless the configuration disables it. */
    private void openTerway(int ownUid) throws IOException {
        BaseModule base = on.base();
        Optional<Path> path = base.config.terwaySocket(base.layout.terwaySocket());
        if (path.isPresent()) {
            NodeCidrProvider nodeCidr = on.supply().nodeCidr;
            TerwayContext context = new TerwayContext(
                    base.live::now,
                    running.engine,
                    on.node().pods,
                    on.node().kernel,
                    on.node().view,
                    new TerwayContext.ClusterNetwork(
                            on.session().services()::usable,
                            () -> nodeCidr.last().map(Object::toString),
                            nodeCidr.files(),
                            base.layout.terwaySandboxes()),
                    base.events,
                    base.blocking);
            base.opened.push("terway's socket", TerwaySocket.open(path.get(), ownUid, context));
        }
    }

    private void openCni() throws IOException {
        BaseModule base = on.base();
        Optional<Path> path = base.live.now().cniSocket(base.layout.cniSocket());
        if (path.isEmpty()) {
            return;
        }
        CniContext context = new CniContext(
                running.engine,
                on.node().pods,
                on.node().kernel,
                served.troubles(),
                new ClaimContext(on.supply().plugins.host.claims(), on.base().traces, on.cloud().meters),
                () -> base.live.now().get(Schema.ALLOCATION_TIMEOUT));
        CniHandler handler =
                new CniHandler(context, base.events, on.cloud().meters.cni()::add);
        base.opened.push("CNI socket", CniSocket.open(path.get(), handler::handle, base.events, base.scheduler));
        LOG.info("serving the CNI on {}", path.get());
    }
}

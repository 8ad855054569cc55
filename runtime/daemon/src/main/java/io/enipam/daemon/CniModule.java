package io.enipam.daemon;

import io.enipam.config.dynamic.LiveConfig;
import io.enipam.engine.port.Scheduler;
import io.enipam.frontends.cni.CniHandler;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.CniSocket;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.observability.history.Meters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts together what container runtimes are served from, by way of the CNI front. */
record CniModule(ServiceContext served, LiveConfig config, DaemonLayout layout, NodeDatapath kernel, Meters meters) {
    private static final Logger LOG = LoggerFactory.getLogger(CniModule.class);

    /**
     * Begins to serve, where the configuration wants it: before the engine has recovered, for calls wait for that.
     *
     * @param opened takes what is to be closed in the end
     * @throws IOException if the socket cannot be made
     */
    void open(Closer opened, Scheduler scheduler) throws IOException {
        Optional<Path> path = config.now().cniSocket(layout.cniSocket());
        if (path.isEmpty()) {
            return;
        }
        CniContext context = new CniContext(
                served.engine(),
                served.node().pods(),
                kernel,
                served.readiness(),
                () -> config.now().allocationTimeout());
        CniHandler handler = new CniHandler(context, served.diagnosis().events(), meters.cni()::add);
        opened.push(
                "CNI socket",
                CniSocket.open(path.get(), handler::handle, served.diagnosis().events(), scheduler));
        LOG.info("serving the CNI on {}", path.get());
    }
}

package io.enipam.daemon;

import io.enipam.daemon.cni.CniDesk;
import io.enipam.daemon.cni.CniParts;
import io.enipam.daemon.cni.CniSocket;
import io.enipam.daemon.history.Meters;
import io.enipam.daemon.kernel.NodeKernel;
import io.enipam.daemon.live.LiveConfig;
import io.enipam.daemon.rpc.Served;
import io.enipam.engine.port.Scheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts together what container runtimes are served from, by way of the CNI front. */
record CniDoor(Served served, LiveConfig config, DaemonLayout layout, NodeKernel kernel, Meters meters) {
    private static final Logger LOG = LoggerFactory.getLogger(CniDoor.class);

    /**
     * Begins to serve, where the configuration wants it: before the engine has recovered, for calls wait for that.
     *
     * @param opened takes what is to be closed in the end
     * @throws IOException if the socket cannot be made
     */
    void open(ClosingOrder opened, Scheduler scheduler) throws IOException {
        Optional<Path> path = config.now().cniSocket(layout.cniSocket());
        if (path.isEmpty()) {
            return;
        }
        CniParts parts = new CniParts(
                served.engine(),
                served.pods(),
                kernel,
                served.readiness(),
                () -> config.now().allocationTimeout());
        CniDesk desk = new CniDesk(parts, served.events(), meters.cni()::add);
        opened.push("CNI socket", CniSocket.open(path.get(), desk::answer, served.events(), scheduler));
        LOG.info("serving the CNI on {}", path.get());
    }
}

package io.enipam.daemon.kernel;

import io.enipam.daemon.DaemonLayout;
import io.enipam.datapath.DatapathConfig;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.NodeSide;
import java.util.Optional;

/** Opens the kernel as far as the configuration and the machine allow. */
public final class KernelChoice {
    private KernelChoice() {}

    /**
     * Opens it.
     *
     * @param use {@code auto}, {@code on} or {@code off}
     * @throws KernelMissingException if it has to be changed and cannot
     */
    public static NodeKernel open(String use, DaemonLayout layout, NodeSide node) {
        Optional<String> obstacle = use.equals("off") ? Optional.of("datapath.use is off") : KernelDatapath.obstacle();
        if (use.equals("on") && obstacle.isPresent()) {
            throw new KernelMissingException(obstacle.get());
        }
        Optional<KernelDatapath> real = obstacle.isPresent()
                ? Optional.empty()
                : Optional.of(KernelDatapath.open(new DatapathConfig(layout.attachments(), node)));
        return new NodeKernel(layout.simulatedKernel(), layout.callersAttachments(), real, obstacle.orElse(""));
    }
}

package io.enipam.daemon.kernel;

import io.enipam.datapath.DatapathConfig;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.NodeSide;
import io.enipam.datapath.iproute.Sysctls;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Opens the kernel as far as the configuration and the machine allow. */
public final class KernelChoice {
    private KernelChoice() {}

    /**
     * Opens it.
     *
     * @param use {@code auto}, {@code on} or {@code off}
     * @param simulated directory of the simulated sandboxes
     * @param callers directory of those that their callers connect
     * @param attachments directory of those that this daemon connects
     * @param environment may say by {@code ENIPAM_SYSCTLS} where {@code /proc/sys} can be written
     * @throws KernelMissingException if it has to be changed and cannot
     */
    public static NodeKernel open(
            String use,
            Path simulated,
            Path callers,
            Path attachments,
            NodeSide node,
            Map<String, String> environment) {
        Optional<String> obstacle = use.equals("off") ? Optional.of("datapath.use is off") : KernelDatapath.obstacle();
        if (use.equals("on") && obstacle.isPresent()) {
            throw new KernelMissingException(obstacle.get());
        }
        Optional<KernelDatapath> real = obstacle.isPresent()
                ? Optional.empty()
                : Optional.of(KernelDatapath.open(new DatapathConfig(attachments, node, sysctls(environment))));
        return new NodeKernel(simulated, callers, real, obstacle.orElse(""));
    }

    private static Path sysctls(Map<String, String> environment) {
        String said = environment.getOrDefault("ENIPAM_SYSCTLS", "");
        return said.isBlank() ? Sysctls.USUAL : Path.of(said);
    }
}

package io.enipam.node.kernel;

import com.google.common.base.Suppliers;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Opens the kernel as the configuration wants it. A node connects its pods: where its kernel cannot be changed the daemon starts all
 * the same, serves DELs, refuses ADDs with the reason, is not ready, and goes on by itself once the reason is gone.
 */
public final class DatapathSelector {
    /** What to do about a kernel that cannot be changed. */
    static final String HINT =
            "mend that: the daemon notices by itself; or set datapath.use to off if it is not to connect pods";

    /** How old the knowledge of what is in the way may be, in seconds. */
    private static final int FRESH = 2;

    private DatapathSelector() {}

    /**
     * Opens it.
     *
     * @param use {@code auto}, {@code on} or {@code off}
     * @param optional whether {@code auto} goes on without the kernel where it cannot be changed: in a sandbox, and where no
     *     runtime is served
     * @param simulated directory of the simulated sandboxes
     * @param callers directory of those that their callers connect
     * @param attachments directory of those that this daemon connects
     * @param environment may say by {@code ENIPAM_SYSCTLS} where {@code /proc/sys} can be written
     * @throws KernelUnavailableException if it has to be changed and cannot
     */
    public static NodeDatapath open(
            String use,
            boolean optional,
            Path simulated,
            Path callers,
            Path attachments,
            NodeNetwork node,
            Map<String, String> environment) {
        Optional<String> obstacle =
                use.equals("off") ? Optional.of("datapath.use is off") : KernelDatapath.unavailableReason();
        if (use.equals("on") && obstacle.isPresent()) {
            throw new KernelUnavailableException(obstacle.get());
        }
        if (obstacle.isPresent() && (use.equals("off") || optional)) {
            return new NodeDatapath(simulated, callers, obstacle.get());
        }
        return new NodeDatapath(
                simulated,
                callers,
                KernelDatapath.open(new DatapathConfig(attachments, node, sysctls(environment))),
                Suppliers.memoizeWithExpiration(KernelDatapath::unavailableReason, FRESH, TimeUnit.SECONDS));
    }

    private static Path sysctls(Map<String, String> environment) {
        String said = environment.getOrDefault("ENIPAM_SYSCTLS", "");
        return said.isBlank() ? Sysctls.USUAL : Path.of(said);
    }
}

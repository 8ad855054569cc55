package io.enipam.diagnostics.doctor.fact;

import io.enipam.config.DaemonConfig;
import java.util.List;

/**
 * The configuration in force.
 *
 * @param adjusted what was changed to make the whole consistent, a line each
 * @param unobeyed settings that are written somewhere and not acted on, {@code KEY of FILE}
 * @param pending what a restart would put in force
 * @param troubles what is wrong with what the cluster says of it, a line each
 */
public record ConfigFacts(
        List<String> adjusted, List<String> unobeyed, List<DaemonConfig.Pending> pending, List<String> troubles) {
    public ConfigFacts {
        adjusted = List.copyOf(adjusted);
        unobeyed = List.copyOf(unobeyed);
        pending = List.copyOf(pending);
        troubles = List.copyOf(troubles);
    }
}

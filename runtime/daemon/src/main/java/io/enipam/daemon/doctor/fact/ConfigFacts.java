package io.enipam.daemon.doctor.fact;

import java.util.List;

/**
 * The configuration as it was read.
 *
 * @param adjusted what was changed to make the whole consistent, a line each
 * @param unobeyed settings that are written somewhere and not acted on, {@code KEY of FILE}
 */
public record ConfigFacts(List<String> adjusted, List<String> unobeyed) {
    public ConfigFacts {
        adjusted = List.copyOf(adjusted);
        unobeyed = List.copyOf(unobeyed);
    }
}
